/** Fairness: thousands of due posts of one connection or account do not delay the few posts of others. */
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { scheduledPosts } from '../../../jobs/scheduled-posts.ts';
import type { Candidate } from '../../../services/scheduling/concurrency-limits.ts';
import { claimDueSends, nextDueAt } from '../../../services/sending/claim-due-sends.ts';
import type { ClaimedSend } from '../../../services/sending/claimed-send.ts';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** More than one tick claims. */
const BACKLOG = 1_100;

/** The part of the sandbox's concurrency limit that one account may use. */
const ACCOUNT_SHARE = 100;

/** Schedules a post in a minute, and the requested number of copies. */
async function backlog(posts: number) {
  const account = await accountWithSandbox(world);
  const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
  const { postId } = await makePost(world, 'sandbox', { key: account.key, scheduledFor });
  await world.sql(
    `insert into posts select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid()))).*
     from posts p, generate_series(2, $2) where p.id = $1`,
    [postId, posts],
  );
  return account;
}

/** Schedules a post of another account that falls due a second after the backlog. */
async function lateComer() {
  const { key } = await accountWithSandbox(world);
  const scheduledFor = new Date(world.clock.now().getTime() + 61_000).toISOString();
  return makePost(world, 'sandbox', { key, scheduledFor });
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function claim(options?: Parameters<typeof claimDueSends>[1]) {
  const { sends } = await claimDueSends(world.context, options);
  const settled = Promise.all(sends.map((send) => world.context.sends.send(send)));
  await settled;
  return sends.map(({ post }) => post);
}

describe('a post of another account', () => {
  afterEach(async () => {
    await world.sql(`delete from posts where status = 'scheduled'`);
  });

  it('is sent with the first posts of a backlog that fell due before it', async () => {
    const { id: accountId } = await backlog(BACKLOG);
    const { postId } = await lateComer();
    world.clock.advance(61_000);

    const claimed = await claim();

    expect(claimed.filter((post) => post.accountId === accountId)).toHaveLength(ACCOUNT_SHARE);
    expect(claimed.map(({ id }) => id)).toContain(postId);
  });

  it('is sent despite two backlogs that could use the whole concurrency limit', async () => {
    const hogs = [await backlog(BACKLOG), await backlog(BACKLOG)];
    const { postId } = await lateComer();
    world.clock.advance(61_000);

    const claimed = await claim();

    expect(claimed.map(({ id }) => id)).toContain(postId);
    const shares = hogs.map(({ id }) => claimed.filter(({ accountId }) => accountId === id).length);
    expect(shares.toSorted((a, b) => a - b)).toEqual([ACCOUNT_SHARE - 1, ACCOUNT_SHARE]);
  });

  it('is left to the next wide claim by a narrow claim', async () => {
    await backlog(BACKLOG);
    const { postId } = await lateComer();
    world.clock.advance(61_000);

    const narrow = await claim({ wide: false });
    const wide = await claim();

    expect(narrow.map(({ id }) => id)).not.toContain(postId);
    expect(wide.map(({ id }) => id)).toContain(postId);
  });
});

describe('immediate posts that hang', () => {
  it('leave the scheduled posts of their account and of others on time', async () => {
    const { context, clock } = world;
    const perProcess = 4;
    const sandbox = { ...context.platforms.sandbox, concurrency: { perProcess, perConnection: 1 } };
    const platforms = { ...context.platforms, sandbox };
    const [busy, other] = [await accountWithSandbox(world), await accountWithSandbox(world)];
    const slugs = Array.from({ length: perProcess }, (_, index) => `busy-${index}`);
    for (const slug of slugs) await connectSandbox(world, { key: busy.key, slug });
    const scheduledFor = new Date(clock.now().getTime() + 1_000).toISOString();
    const due = [];
    for (const { key } of [busy, other]) {
      const { postId } = await makePost(world, 'sandbox', { key, scheduledFor });
      due.push({ key, postId });
    }
    const released = Promise.withResolvers<void>();
    const sleep = vi.spyOn(clock, 'sleep').mockImplementation((ms) => (ms === 99_000 ? released.promise : nextTurn()));
    onTestFinished(() => sleep.mockRestore());
    const body = { text: '[[slow 99000]] Hello', connectionSlugs: slugs };
    const posting = world.rest('POST /posts', { key: busy.key, body });
    await vi.waitFor(() => expect(sleep.mock.calls.filter(([ms]) => ms === 99_000)).toHaveLength(perProcess));
    clock.advance(1_000);

    const begun = await scheduledPosts.run({ ...context, platforms }, new AbortController().signal);

    expect(begun).toBe(2);
    await vi.waitFor(() => expect(context.sends.inFlight).toBe(perProcess));
    for (const { key, postId } of due) {
      const { body: read } = await world.rest(`GET /posts/${postId}`, { key });
      expect(read.post).toMatchObject({ status: 'sent', scheduledFor, sentAt: scheduledFor });
    }
    released.resolve();
    const { results } = (await posting).body;
    expect(results.map(({ status }: { status: string }) => status)).toEqual(slugs.map(() => 'sent'));
  });
});

/** A process whose sends to the sandbox, six at most and three for each account, hang until they are told to go on. */
function hangingProcess() {
  const { context } = world;
  const claimed: ClaimedSend[] = [];
  const inProgress: Candidate[] = [];
  const send = (one: ClaimedSend) => {
    const { id, accountId, platformId, aiRewriteStatus } = one.post;
    const awaitsModel = aiRewriteStatus === 'pending';
    claimed.push(one);
    inProgress.push({
      id,
      accountId,
      platformId,
      connectionId: one.connection.id,
      awaitsModel,
      isImmediate: false,
    });
    return new Promise<never>(() => {});
  };
  const sandbox = { ...context.platforms.sandbox, concurrency: { perProcess: 6, perConnection: 2 } };
  const platforms = { ...context.platforms, sandbox };
  // Rounds of later tests do not find them.
  onTestFinished(async () => void (await Promise.all(claimed.map((one) => context.sends.send(one)))));
  return {
    inProgress,
    round: (changes: object = {}) =>
      scheduledPosts.run(
        { ...context, platforms, sends: { ...context.sends, inProgress, send }, ...changes },
        new AbortController().signal,
      ),
  };
}

/** An account, each of whose connections has a post that is found late. */
async function lateAccount(connections: number) {
  const account = await accountWithSandbox(world);
  const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
  for (let index = 0; index < connections; index += 1) {
    const slug = `late-${index}`;
    await connectSandbox(world, { key: account.key, slug });
    await makePost(world, slug, { key: account.key, scheduledFor });
  }
  return account;
}

describe('late posts', () => {
  const LATE_MS = 10 * 60_000;
  afterEach(async () => {
    await world.sql(`delete from posts where status = 'scheduled'`);
  });

  it('leave the other half of the limit to other accounts, and go on as soon as one is over', async () => {
    const [many, few] = [await lateAccount(5), await lateAccount(1)];
    world.clock.advance(LATE_MS);
    const { inProgress, round } = hangingProcess();
    const sending = () => [many, few].map(({ id }) => inProgress.filter(({ accountId }) => accountId === id).length);

    const rounds = [await round(), await round()];

    expect([rounds, sending()]).toEqual([
      [4, 0],
      [3, 1],
    ]);
    expect((await nextDueAt(world.context))?.getTime()).toBeLessThan(world.clock.now().getTime());
    inProgress.splice(
      inProgress.findIndex(({ accountId }) => accountId === many.id),
      1,
    );
    expect([await round(), sending()]).toEqual([1, [3, 1]]);
  });

  it('of many accounts do not exceed the limit of the platform', async () => {
    for (let account = 0; account < 8; account += 1) await lateAccount(1);
    world.clock.advance(LATE_MS);
    const { inProgress, round } = hangingProcess();

    await round();

    expect(inProgress).toHaveLength(6);
  });

  it('of an account with more connections than a round settles do not hide those of another', async () => {
    const many = await lateAccount(1);
    await world.sql(
      `with copied as (
         insert into connections select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(),
           'slug', 'copy-' || n, 'platform_account_id', 'copy-' || n))).*
         from connections c, generate_series(1, 300) n where c.account_id = $1 and c.slug = 'late-0' returning id
       )
       insert into posts select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(),
         'connection_id', c.id))).* from posts p, copied c where p.account_id = $1`,
      [many.id],
    );
    const other = await lateAccount(1);
    world.clock.advance(LATE_MS);
    const { inProgress, round } = hangingProcess();

    for (let turn = 0; turn < 2; turn += 1) await round();

    expect(inProgress.map(({ accountId }) => accountId).toSorted()).toEqual(
      [many.id, many.id, many.id, other.id].toSorted(),
    );
  });

  it('that wait for a model leave the other half of the limit to those that do not', async () => {
    const rewritten = [];
    for (let account = 0; account < 5; account += 1) rewritten.push((await lateAccount(1)).id);
    await world.sql(`update posts set rewrite = true where account_id = any($1::uuid[])`, [rewritten]);
    for (let account = 0; account < 2; account += 1) await lateAccount(1);
    world.clock.advance(LATE_MS);
    const { inProgress, round } = hangingProcess();

    for (let turn = 0; turn < 2; turn += 1) await round({ polisher: {} });

    expect(inProgress.filter(({ awaitsModel }) => awaitsModel)).toHaveLength(3);
    expect(inProgress).toHaveLength(5);
  });
});
