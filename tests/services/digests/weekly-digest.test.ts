/** The weekly digest: at most one mail for each owner and week, and what it says. */
import { afterAll, describe, expect, it } from 'vitest';
import { ownerNotices } from '../../../jobs/owner-notices.ts';
import type { LoopContext } from '../../../jobs/loop.ts';
import { consoleCalls } from '../../harness/console-calls.ts';
import { mailText } from '../../harness/mail-text.ts';
import { EMAIL, OWNER_ENV } from '../../harness/owner.ts';
import { startPeer } from '../../harness/peer.ts';
import { PUBLIC_URL, startWorld } from '../../harness/world.ts';
import { answered, callTool, codeFor, openConsent, redeem, registered } from '../../oauth/agents.ts';
import { otherAccount, personOf } from '../../oauth/people.ts';
import { MAILBOX, startFakeMail } from '../../platforms/fakes/fake-mail.ts';

const mail = await startFakeMail();
afterAll(() => mail.close());
const MAIL_ENV = { ...OWNER_ENV, SMTP_URL: mail.url, SMTP_FROM: MAILBOX.from };

const FIRST_MONDAY = '2026-11-23T08:00:00.000Z';
const SECOND_MONDAY = '2026-11-30T08:00:00.000Z';
const DAY_MS = 86_400_000;

/** A world whose digests are planned. Its time begins on a Saturday. */
async function arranged() {
  const world = await startWorld({ env: MAIL_ENV });
  const call = await consoleCalls(world);
  await world.runDue();
  const seen = mail.messages().length;
  const digests = () =>
    mail
      .messages()
      .slice(seen)
      .map(({ raw, recipient }) => ({ recipient, ...mailText(raw) }))
      .filter(({ subject }) => subject.startsWith('What your agents'));
  /** Moves time to an instant, and runs the workers. */
  const reach = async (instant: string) => {
    world.clock.set(new Date(instant));
    await world.runDue();
  };
  const post = async (fields: object = {}, key: string = world.liveKey): Promise<string> => {
    const body = { text: 'Words that stay in the console', connectionSlugs: [world.sandboxSlug], ...fields };
    const answer = await world.rest('POST /posts', { key, body });
    expect(answer.status).toBe(200);
    return answer.body.results[0].postId;
  };
  return { world, call, digests, reach, post };
}

type Arranged = Awaited<ReturnType<typeof arranged>>;

/** An agent that a person allows. @returns posts with it */
async function agentOf({ world }: Arranged, name: string, asksFirst: boolean, client?: string) {
  const person = await personOf(world, 'editor');
  const clientId = client ?? (await registered(world, { client_name: name }));
  const scope = 'posts:read posts:write connections:read';
  const consent = await openConsent(person.browser, { clientId, params: { scope } });
  const back = await answered(person.browser, consent, { asksFirst });
  const { body } = await redeem(world, clientId, back.searchParams.get('code') ?? '');
  const tool = async (tool_: string, input: object) =>
    (await callTool(world, body.access_token, tool_, input)).body.result.structuredContent;
  const post = async (fields: object = {}): Promise<string> =>
    (await tool('create_post', { text: 'By an agent', connectionSlugs: [world.sandboxSlug], ...fields })).results[0]
      .postId;
  return { person, clientId, tool, post };
}

describe('says', () => {
  it('what each agent and key did in the week, for whom and where, and what waits', async () => {
    const the = await arranged();
    const { world, call, digests, reach, post } = the;
    await reach(FIRST_MONDAY);
    const asking = await agentOf(the, 'A careful agent', true);
    const free = await agentOf(the, 'An agent', false);
    const [approved, rejected] = [await asking.post(), await asking.post()];
    world.clock.advance(60_000);
    await asking.post();
    await call('approvals.approve', { postId: approved });
    await call('approvals.reject', { postId: rejected, reason: 'No.' });
    await free.post();
    await free.post({ text: '[[reject]]' });
    const later = await free.post({ scheduledFor: '2026-11-29T08:00:00.000Z' });
    await free.tool('delete_post', { postId: later });
    await post({ isDraft: true });
    const own = await call('posts.create', { text: 'By a person', connectionSlugs: [world.sandboxSlug] });
    expect(own.status).toBe(200);

    await reach(SECOND_MONDAY);

    expect(digests()).toEqual([
      {
        recipient: EMAIL,
        subject: 'What your agents and keys did in the week to 2026-11-30',
        text: [
          'From 2026-11-23 08:00 to 2026-11-30 08:00 (UTC). Posts of test keys are not counted.',
          '',
          `Agent “An agent” (agent.example), on behalf of ${free.person.email}`,
          '- Posts created: 3 (Sandbox 3)',
          '- Published: 1 (Sandbox 1)',
          '- Failed: 1 (Sandbox 1)',
          '- Cancelled or deleted: 1',
          '',
          `Agent “A careful agent” (agent.example), on behalf of ${asking.person.email}`,
          '- Posts created: 3 (Sandbox 3)',
          '- Published: 1 (Sandbox 1)',
          '- Approvals: 1 approved, 1 rejected, 1 waiting now',
          '',
          'Key “First live key”',
          '- Posts created: 1 (Sandbox 1)',
          '',
          `Every change: ${PUBLIC_URL}/activity`,
          `Posts that wait for approval: ${PUBLIC_URL}/approvals`,
          `Agents that may act for you: ${PUBLIC_URL}/agents`,
          `Stop everything at once: ${PUBLIC_URL}/stops`,
          '',
          `Turn this mail off, or choose its time zone: ${PUBLIC_URL}/account?digest=off`,
        ].join('\n'),
      },
    ]);
  });

  it('which access ends soon because it is unused, until two weeks before', async () => {
    const { world, digests, reach, post } = await arranged();
    const person = await personOf(world, 'viewer');
    const used = async (name: string, lastUsedAt: string) => {
      const clientId = await registered(world, { client_name: name });
      await redeem(world, clientId, await codeFor(person, { clientId }));
      await world.sql('update oauth_grants set last_used_at = $1 where client_id = $2', [lastUsedAt, clientId]);
    };
    await used('Soon', '2026-09-08T08:00:00.000Z');
    await used('Later', '2026-09-08T08:00:00.001Z');
    await used('Over', '2026-08-25T08:00:00.000Z');
    await post();

    await reach(FIRST_MONDAY);

    const [{ text } = { text: '' }] = digests();
    expect(text).toContain(
      `Access that ends soon, 90 days after its last use:\n- “Soon”, on behalf of ${person.email}: 2026-12-07\n\n`,
    );
    expect(text).not.toMatch(/Later|Over/);
  });

  it('the other changes, of a key and of an agent whose client several people allowed', async () => {
    const the = await arranged();
    const { world, digests, reach } = the;
    const one = await agentOf(the, 'Shared', false);
    const other = await agentOf(the, 'Shared', false, one.clientId);
    const postId = await one.post({ isDraft: true });
    await other.tool('update_draft', { postId, text: 'Better words' });
    await world.rest('POST /profiles', { body: { name: 'A profile' } });

    await reach(FIRST_MONDAY);

    const [{ text } = { text: '' }] = digests();
    expect(text.split('\n\n').slice(1, 4)).toEqual(
      expect.arrayContaining([
        `Agent “Shared” (agent.example), on behalf of ${one.person.email}\n- Posts created: 1 (Sandbox 1)`,
        `Agent “Shared” (agent.example), on behalf of ${other.person.email} or ${one.person.email}\n- Other changes: posts.update 1`,
        'Key “First live key”\n- Other changes: profiles.create 1',
      ]),
    );
  });

  it('the names that others chose on one line, without hidden characters', async () => {
    const { world, digests, reach, post } = await arranged();
    const name = 'Good\nKey “Bank”\r\n- Posts \u202eevil\u0007';
    const profile = await world.profile();
    const body = { name, type: 'live' };
    const minted = await world.rest(`POST /profiles/${profile.id}/keys`, { body });
    await world.sql('update api_keys set profile_id = null where id = $1', [minted.body.key.id]);
    await post({}, minted.body.key.secret ?? minted.body.secret);

    await reach(FIRST_MONDAY);

    expect(digests()[0]?.text).toContain('\nKey “Good Key “Bank” - Posts evil”\n- Posts created: 1 (Sandbox 1)\n');
  });
});

describe('is not sent', () => {
  it.each<[string, (the: Arranged) => Promise<unknown>]>([
    ['no one did anything', async () => null],
    [
      'only people did something',
      ({ world, call }) => call('posts.create', { text: 'By a person', connectionSlugs: [world.sandboxSlug] }),
    ],
    ['only a test key did something', ({ world, post }) => post({}, world.testKey)],
    [
      'only an earlier week had something',
      async ({ post, reach, digests }) => {
        await post();
        await reach(FIRST_MONDAY);
        expect(digests()).toHaveLength(1);
      },
    ],
    [
      'a person rejected what an agent asked for before',
      async (the) => {
        const { post } = await agentOf(the, 'An agent', true);
        const postId = await post();
        await the.reach(FIRST_MONDAY);
        expect(the.digests()).toHaveLength(1);
        expect((await the.call('approvals.reject', { postId, reason: 'No.' })).status).toBe(200);
      },
    ],
    [
      'an agent only reads',
      async (the) => {
        const { tool } = await agentOf(the, 'A reader', false);
        await tool('list_posts', {});
      },
    ],
  ])('after a week in which %s', async (_case, happens) => {
    const the = await arranged();
    await happens(the);
    const before = the.digests().length;

    await the.reach(SECOND_MONDAY);

    expect(the.digests()).toHaveLength(before);
  });

  it('to editors and viewers, nor to owners of another account', async () => {
    const { world, digests, reach, post } = await arranged();
    for (const role of ['editor', 'viewer'] as const) await personOf(world, role);
    const second = await personOf(world, 'owner');
    await personOf(world, 'owner', await otherAccount(world));
    await world.runDue();
    await post();

    await reach(FIRST_MONDAY);

    expect(
      digests()
        .map(({ recipient }) => recipient)
        .toSorted(),
    ).toEqual([EMAIL, second.email].toSorted());
  });
});

describe('is sent once a week', () => {
  it('at 08:00 on Monday and not before', async () => {
    const { digests, reach, post } = await arranged();
    await post();

    await reach('2026-11-23T07:59:59.999Z');
    expect(digests()).toEqual([]);
    await reach(FIRST_MONDAY);
    await reach('2026-11-23T23:00:00.000Z');
    expect(digests()).toHaveLength(1);
    await post();
    await reach('2026-11-30T07:59:59.999Z');
    expect(digests()).toHaveLength(1);
    await reach(SECOND_MONDAY);
    expect(digests()).toHaveLength(2);
  });

  it('by two workers at the same time', async () => {
    const { world, digests, post } = await arranged();
    await post();
    world.clock.set(new Date(FIRST_MONDAY));

    await Promise.all([world.runDue(), world.runDue()]);
    await world.runDue();

    expect(digests()).toHaveLength(1);
  });

  it.skipIf(process.env['TEST_DATABASE_URL'] === undefined)('by two processes at the same time', async () => {
    const { world, digests, post } = await arranged();
    const owners = await Promise.all([1, 2, 3, 4].map(() => personOf(world, 'owner')));
    await world.runDue();
    await post();
    world.clock.set(new Date(FIRST_MONDAY));
    const peer = await startPeer(world);
    const { signal } = new AbortController();

    await Promise.all([world.context, peer, world.context, peer].map((context) => ownerNotices.run(context, signal)));
    await world.runDue();

    expect(
      digests()
        .map(({ recipient }) => recipient)
        .toSorted(),
    ).toEqual([EMAIL, ...owners.map(({ email }) => email)].toSorted());
  });

  it('when the process that claimed it dies before the mail is stored', async () => {
    const { world, digests, post } = await arranged();
    await post();
    world.clock.set(new Date(FIRST_MONDAY));
    const random = {
      ...world.context.random,
      uuid: () => {
        throw new Error('the process died');
      },
    };
    const dying: LoopContext = { ...world.context, random };
    await expect(ownerNotices.run(dying, new AbortController().signal)).rejects.toThrow('the process died');
    expect(digests()).toEqual([]);

    await world.runDue();

    expect(digests()).toHaveLength(1);
    await world.advance(DAY_MS);
    expect(digests()).toHaveLength(1);
  });

  it('after weeks in which no worker ran, about the last of them', async () => {
    const { world, digests, reach, post } = await arranged();
    await post({ text: 'In a week that is over' });
    world.clock.set(new Date('2026-12-10T12:00:00.000Z'));
    await post();
    await reach('2026-12-15T11:00:00.000Z');

    expect(digests().map(({ text }) => text)).toEqual([
      expect.stringContaining('From 2026-12-07 08:00 to 2026-12-14 08:00 (UTC).'),
    ]);
    expect(digests()[0]?.text).toContain('- Posts created: 1 (Sandbox 1)');
    await post();
    await reach('2026-12-21T07:59:59.999Z');
    expect(digests()).toHaveLength(1);
    await reach('2026-12-21T08:00:00.000Z');
    expect(digests()).toHaveLength(2);
  });

  it.each([
    ['forward', '2027-03-22T07:00:00.000Z', '2027-03-29T06:00:00.000Z', '2027-03-22 08:00', '2027-03-29 08:00'],
    ['back', '2027-10-25T06:00:00.000Z', '2027-11-01T07:00:00.000Z', '2027-10-25 08:00', '2027-11-01 08:00'],
  ])('at 08:00 of the time zone when clocks go %s', async (_way, first, second, from, to) => {
    const { call, digests, reach, post } = await arranged();
    await call('people.changeDigest', { timezone: 'Europe/Berlin' });
    await reach(first);
    await post();

    await reach(new Date(Date.parse(second) - 1).toISOString());
    expect(digests()).toEqual([]);
    await reach(second);

    expect(digests().map(({ text }) => text)).toEqual([
      expect.stringContaining(`From ${from} to ${to} (Europe/Berlin).`),
    ]);
  });
});
