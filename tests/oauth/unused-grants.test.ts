/** Access that is not used ends, and owners learn of it. */
import { afterAll, describe, expect, it } from 'vitest';
import { holdRows } from '../harness/hold-rows.ts';
import { mailText } from '../harness/mail-text.ts';
import { OWNER_ENV } from '../harness/owner.ts';
import { startWorld } from '../harness/world.ts';
import { MAILBOX, startFakeMail } from '../platforms/fakes/fake-mail.ts';
import { codeFor, redeem, refresh, registered, signIn, tokensFor } from './agents.ts';

const mail = await startFakeMail();
afterAll(() => mail.close());
const world = await startWorld({ env: { ...OWNER_ENV, SMTP_URL: mail.url, SMTP_FROM: MAILBOX.from } });
const person = await signIn(world);
const DAY = 86_400_000;

const grants = async () => (await world.sql('select id from oauth_grants')).length;

it('after ninety days without use, with one mail to the owners', async () => {
  const used = await tokensFor(world, person);
  await tokensFor(world, person);

  world.clock.advance(60 * DAY);
  const { status } = await refresh(world, used.clientId, used.refresh);
  await world.housekeep();
  expect([status, await grants()]).toEqual([200, 2]);

  world.clock.advance(31 * DAY);
  await world.housekeep();
  await world.runDue();

  expect(await grants()).toBe(1);
  const [sent, ...others] = mail.messages().filter(({ raw }) => raw.includes('has ended'));
  expect(others.length).toBeLessThanOrEqual(1);
  // Both registered as "Agent", as a program does that registers anew with each sign-in.
  const { subject, text } = mailText(sent?.raw ?? '');
  expect(subject).toBe('An unused access of an agent has ended');
  expect(text).toContain('More than one access has been given to “Agent”.');
  expect(text).not.toContain('It can ask for access again.');
});

it('names each agent that has no access any more once', async () => {
  const before = mail.messages().length;
  const again = await signIn(world);
  await tokensFor(world, again, { clientId: await registered(world, { client_name: 'Night watch' }) });
  await tokensFor(world, again, { clientId: await registered(world, { client_name: 'Night watch' }) });

  world.clock.advance(91 * DAY);
  await world.housekeep();
  await world.runDue();

  const [sent] = mail.messages().slice(before);
  const { subject, text } = mailText(sent?.raw ?? '');
  // The other one is of the test before.
  expect(subject).toBe('The access of 2 agents has ended');
  expect(text.match(/“Night watch”|“Agent”/g)?.toSorted()).toEqual(['“Agent”', '“Night watch”']);
  expect(text).toContain('It can ask for access again.');
  expect(text).not.toContain('More than one access');
});

it.each([
  ['whose client takes no refresh token', true],
  ['whose client never fetched its tokens', false],
])('a grant %s ends after ninety days too', async (_name, isRedeemed) => {
  const clientId = await registered(world, { grant_types: ['authorization_code'] });
  const code = await codeFor(await signIn(world), { clientId });
  if (isRedeemed) expect((await redeem(world, clientId, code)).body).not.toHaveProperty('refresh_token');
  const isKept = async () =>
    (await world.sql('select id from oauth_grants where client_id = $1', [clientId])).length === 1;

  world.clock.advance(89 * DAY);
  await world.housekeep();
  const before = await isKept();
  world.clock.advance(2 * DAY);
  await world.housekeep();

  expect([before, await isKept()]).toEqual([true, false]);
});

it('a grant that was revoked is removed without a mail', async () => {
  const before = mail.messages().length;
  // Signing in lasts for less time than the test before has passed.
  const { clientId, refresh: token } = await tokensFor(world, await signIn(world));
  await fetch(`${world.url}/oauth/revoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token, client_id: clientId }).toString(),
  });

  world.clock.advance(31 * DAY);
  await world.housekeep();
  await world.runDue();

  expect(mail.messages().length).toBe(before);
});

// These tests need a second connection to the database.
describe.skipIf(world.db.engine !== 'postgres')('a grant whose policy another request holds', () => {
  /** A grant that has ended, with a policy that is held until the removal of the grant waits for it. */
  async function endedGrant() {
    const { clientId } = await tokensFor(world, await signIn(world));
    const [grant] = await world.sql<{ id: string }>('select id from oauth_grants where client_id = $1', [clientId]);
    expect((await world.rest(`PUT /policies/${grant?.id}`, { body: {} })).status).toBe(200);
    world.clock.advance(91 * DAY);
    const held = await holdRows(world, 'select id from policies where id = $1 for update', [grant?.id]);
    const removing = world.housekeep();
    await held.waiting(1, removing);
    const left = async () =>
      (
        await world.sql('select 1 from oauth_grants where id = $1 union all select 1 from policies where id = $1', [
          grant?.id,
        ])
      ).length;
    return { id: grant?.id, held, removing, left };
  }

  it('is free while its removal waits for the policy', async () => {
    const { id, held, removing, left } = await endedGrant();

    const free = await world.sql('select id from oauth_grants where id = $1 for update skip locked', [id]);

    await held.release();
    await removing;
    expect([free, await left()]).toEqual([[{ id }], 0]);
  });

  it('stays with its policy when it is used meanwhile', async () => {
    const { id, held, removing, left } = await endedGrant();
    const free = 'select id from oauth_grants where id = $1 for update skip locked';
    await world.sql(`update oauth_grants set last_used_at = $2 where id = (${free})`, [id, world.clock.now()]);

    await held.release();
    await removing;

    expect(await left()).toBe(2);
  });
});
