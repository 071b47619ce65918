/** Owners turn the weekly digest off and choose its time zone; links and other people do not. */
import { afterAll, describe, expect, it } from 'vitest';
import { consoleCalls } from '../../harness/console-calls.ts';
import { EMAIL, OWNER_ENV, PASSWORD, signedInBrowser } from '../../harness/owner.ts';
import { startWorld } from '../../harness/world.ts';
import { personOf } from '../../oauth/people.ts';
import { MAILBOX, startFakeMail } from '../../platforms/fakes/fake-mail.ts';

const mail = await startFakeMail();
afterAll(() => mail.close());
const MAIL_ENV = { ...OWNER_ENV, SMTP_URL: mail.url, SMTP_FROM: MAILBOX.from };

const FIRST_MONDAY = '2026-11-23T08:00:00.000Z';
const SECOND_MONDAY = '2026-11-30T08:00:00.000Z';

async function arranged() {
  const world = await startWorld({ env: MAIL_ENV });
  const browser = await signedInBrowser(world);
  const call = await consoleCalls(world, browser);
  await world.runDue();
  const seen = mail.messages().length;
  const recipients = () =>
    mail
      .messages()
      .slice(seen)
      .map(({ recipient }) => recipient);
  /** A key posts, then time moves to an instant, and the workers run. */
  const postAndReach = async (instant: string) => {
    const body = { text: 'By a key', connectionSlugs: [world.sandboxSlug] };
    expect((await world.rest('POST /posts', { body })).status).toBe(200);
    world.clock.set(new Date(instant));
    await world.runDue();
  };
  return { world, browser, call, recipients, postAndReach };
}

const first = { isOn: true, timezone: 'UTC', nextAt: FIRST_MONDAY };

describe('an owner', () => {
  it('has it on at first, in UTC, and turns it off for themself only', async () => {
    const { world, call, recipients, postAndReach } = await arranged();
    const other = await personOf(world, 'owner');
    await world.runDue();
    expect((await call('people.getDigest')).body).toEqual({ digest: first });

    const { status, body } = await call('people.changeDigest', { isOn: false });
    await postAndReach(FIRST_MONDAY);

    const off = { isOn: false, timezone: 'UTC', nextAt: null };
    expect({ status, body }).toEqual({ status: 200, body: { digest: off } });
    expect((await call('people.getDigest')).body).toEqual({ digest: off });
    expect(recipients()).toEqual([other.email]);
  });

  it('who turns it on again gets no digest of the weeks between', async () => {
    const { call, recipients, postAndReach, world } = await arranged();
    await call('people.changeDigest', { isOn: false });
    await postAndReach('2026-12-02T12:00:00.000Z');

    const { body } = await call('people.changeDigest', { isOn: true });
    await world.runDue();

    expect(body.digest.nextAt).toBe('2026-12-07T08:00:00.000Z');
    expect(recipients()).toEqual([]);
    await postAndReach('2026-12-07T08:00:00.000Z');
    expect(recipients()).toEqual([EMAIL]);
  });

  it('who was an editor on Monday, and is an owner again, gets none before the next one', async () => {
    const { call, recipients, postAndReach, world } = await arranged();
    const other = await personOf(world, 'owner');
    await world.runDue();
    const changeRole = (role: string) =>
      call('people.changeRole', { personId: other.ownerId, role, password: PASSWORD });
    await changeRole('editor');
    await postAndReach('2026-11-25T12:00:00.000Z');

    expect((await changeRole('owner')).status).toBe(200);
    await world.runDue();

    expect(recipients()).toEqual([EMAIL]);
    await postAndReach(SECOND_MONDAY);
    expect(recipients().slice(1).toSorted()).toEqual([other.email, EMAIL].toSorted());
  });

  it('who turns it off and on before Monday gets it on Monday, once', async () => {
    const { call, recipients, postAndReach } = await arranged();
    await call('people.changeDigest', { isOn: false });

    expect((await call('people.changeDigest', { isOn: true })).body).toEqual({ digest: first });
    await postAndReach(FIRST_MONDAY);
    await call('people.changeDigest', { isOn: false });
    await call('people.changeDigest', { isOn: true });
    await postAndReach('2026-11-23T09:00:00.000Z');

    expect(recipients()).toEqual([EMAIL]);
  });

  it('who moves to a later zone on the Monday of a digest gets no second one in that week', async () => {
    const { call, recipients, postAndReach } = await arranged();
    await postAndReach(FIRST_MONDAY);

    const { body } = await call('people.changeDigest', { timezone: 'America/Los_Angeles' });
    await postAndReach('2026-11-23T16:00:00.000Z');

    expect(body.digest).toEqual({ isOn: true, timezone: 'America/Los_Angeles', nextAt: '2026-11-30T16:00:00.000Z' });
    expect(recipients()).toHaveLength(1);
    await postAndReach(SECOND_MONDAY);
    expect(recipients()).toHaveLength(1);
    await postAndReach('2026-11-30T16:00:00.000Z');
    expect(recipients()).toHaveLength(2);
  });

  it('who moves to a zone in which that Monday has begun gets it at once, and once', async () => {
    const { world, call, recipients, postAndReach } = await arranged();
    await postAndReach('2026-11-22T20:00:00.000Z');
    await call('people.changeDigest', { timezone: 'Pacific/Auckland' });

    await world.runDue();
    expect(recipients()).toHaveLength(1);
    await postAndReach(FIRST_MONDAY);
    expect(recipients()).toHaveLength(1);
    await postAndReach('2026-11-29T19:00:00.000Z');
    expect(recipients()).toHaveLength(2);
  });

  it('finds the change in the audit, and a refusal of a zone that does not exist', async () => {
    const { call } = await arranged();

    await call('people.changeDigest', { timezone: 'Europe/Berlin' });
    const refused = await call('people.changeDigest', { timezone: 'Europe/Bells' });

    expect(refused).toMatchObject({
      status: 400,
      body: {
        error: 'invalid_request',
        message: 'timezone: "Europe/Bells" is not an IANA time zone such as Europe/Berlin.',
      },
    });
    const { body } = await call('audit.list', { operation: 'people.changeDigest' });
    expect(body.entries.map((entry: { outcome: string }) => entry.outcome)).toEqual(['invalid_request', 'ok']);
    expect((await call('people.getDigest')).body.digest.timezone).toBe('Europe/Berlin');
  });

  it('has none on an install without mail', async () => {
    await using world = await startWorld({ env: OWNER_ENV });
    const call = await consoleCalls(world);
    await world.rest('POST /posts', { body: { text: 'By a key', connectionSlugs: [world.sandboxSlug] } });
    await world.advance(9 * 86_400_000);

    expect((await call('people.getDigest')).body).toEqual({ digest: { ...first, nextAt: null } });
    expect(await world.sql('select id from owner_notices')).toEqual([]);
  });
});

it('opening the link of the mail turns nothing off', async () => {
  const { browser, call } = await arranged();

  const page = await browser.get('/account?digest=off');

  expect(page.status).toBe(200);
  expect((await call('people.getDigest')).body).toEqual({ digest: first });
});

it.each(['editor', 'viewer'] as const)('an %s has no digest to change', async (role) => {
  const { world } = await arranged();
  const { call } = await personOf(world, role);

  expect((await call('people.changeDigest', { isOn: false })).status).toBe(403);
  expect((await call('people.getDigest')).status).toBe(403);
});

it('a change and a worker at the same time leave one mail', async () => {
  const { world, call, recipients, postAndReach } = await arranged();
  await postAndReach('2026-11-23T07:59:59.000Z');
  world.clock.set(new Date(FIRST_MONDAY));

  await Promise.all([
    world.runDue(),
    ...['America/Los_Angeles', 'UTC', 'Asia/Tokyo', 'UTC'].map((timezone) => call('people.changeDigest', { timezone })),
    world.runDue(),
  ]);
  await call('people.changeDigest', { timezone: 'UTC' });
  await world.advance(86_400_000);

  expect(recipients()).toHaveLength(1);
});
