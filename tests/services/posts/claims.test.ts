/** Claims: one worker sends a post, another recovers it if the first dies, and no post is sent twice. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { scheduledPosts } from '../../../jobs/scheduled-posts.ts';
import { type ClaimedDue, claimDueSends, nextDueAt } from '../../../services/sending/claim-due-sends.ts';
import { claimInterruptedSends } from '../../../services/sending/claim-interrupted-sends.ts';
import type { ClaimedSend } from '../../../services/sending/claimed-send.ts';
import { createPostSender } from '../../../services/sending/create-post-sender.ts';
import { settleSends } from '../../../services/sending/settle-sends.ts';
import { TEST_DATABASE_URL } from '../../harness/database.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { UUID } from '../../harness/expected.ts';
import { startPeer } from '../../harness/peer.ts';
import { eventsAbout, makePost, sandboxOf } from '../../harness/posts.ts';
import { query } from '../../harness/query.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld({ env: { ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64') } });

/** A post that a worker has claimed and that is not sent yet. */
async function claimedPost(text = 'Hello') {
  const { key, connection } = await accountWithSandbox(world);
  const scheduledFor = new Date(world.clock.now().getTime() + 1_000).toISOString();
  const { postId } = await makePost(world, 'sandbox', { key, text, scheduledFor });
  world.clock.advance(1_000);
  const {
    sends: [claimed],
  } = await claimDueSends(world.context);
  if (claimed?.post.id !== postId) throw new Error('another post was due');
  const { attempt } = claimed;
  if (attempt === null) throw new Error('a claim on a due post opens its ledger row');
  return { key, connection, postId, claimed: { ...claimed, attempt } };
}

/** Makes the platform call of a claimed send and stops before settling it, like a process that dies. */
async function callPlatform({ connection, post, attempt }: ClaimedSend): Promise<void> {
  const { platformAccountId, handle } = connection;
  const session = { credential: {}, platformAccountId, handle, renew: () => Promise.reject(new Error('no renewal')) };
  if (attempt === null) throw new Error('no ledger row is open');
  const part = {
    step: attempt.step,
    index: attempt.index,
    text: post.text,
    token: attempt.token,
    startedAt: attempt.startedAt,
    prepared: null,
  };
  const io = {
    fetch: world.context.fetch,
    openSocket: world.context.openSocket,
    now: () => world.clock.now(),
    sleep: (ms: number) => world.clock.sleep(ms),
    signal: new AbortController().signal,
    endpoints: world.context.config.endpoints,
    apps: world.context.config.apps,
    mail: world.context.mail,
  };
  await world.context.platforms.sandbox.publish(session, part, io);
}

/** Every row that a send writes. */
async function rowsOf(postId: string) {
  return {
    posts: await world.sql('select * from posts where id = $1', [postId]),
    attempts: await world.sql('select * from attempts where post_id = $1 order by id', [postId]),
    events: await eventsAbout(world, postId),
  };
}

async function expireLease(postId: string): Promise<void> {
  await world.sql('update posts set claimed_until = $2 where id = $1', [postId, world.clock.now()]);
}

describe('a send whose worker died', () => {
  it('before it called the platform is sent by another worker, once', async () => {
    const { key, connection, postId } = await claimedPost();
    await expireLease(postId);

    await world.runDue();

    expect(await sandboxOf(world, connection.id)).toMatchObject([{ calls: 1, is_up: true }]);
    const { body } = await world.rest(`GET /posts/${postId}`, { key });
    expect(body.post).toMatchObject({ status: 'sent', platformPostId: UUID, error: null });
    expect((await eventsAbout(world, postId)).map(({ name }) => name)).toEqual(['post.sent']);
  });

  it('after the platform accepted the post is found there, and not sent again', async () => {
    const { key, connection, postId, claimed } = await claimedPost();
    await callPlatform(claimed);
    await expireLease(postId);

    await world.runDue();

    const [row, ...others] = await sandboxOf(world, connection.id);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ calls: 1 });
    const { body } = await world.rest(`GET /posts/${postId}`, { key });
    expect(body.post).toMatchObject({ status: 'sent', platformPostId: row?.id });
    const ledger = await world.rest(`GET /posts/${postId}/attempts`, { key });
    expect(ledger.body.attempts).toEqual([
      {
        id: claimed.attempt.id,
        step: 'head',
        index: 0,
        state: 'accepted',
        startedAt: claimed.attempt.startedAt.toISOString(),
        settledAt: world.clock.now().toISOString(),
        platformPostId: row?.id,
        error: null,
      },
    ]);
  });

  it('and whose platform cannot be searched is failed, with at most one published post', async () => {
    const { key, connection, postId, claimed } = await claimedPost('[[vanish]]');
    await callPlatform(claimed).catch(() => undefined);
    await expireLease(postId);

    await world.runDue();

    expect(await sandboxOf(world, connection.id)).toHaveLength(1);
    const { body } = await world.rest(`GET /posts/${postId}`, { key });
    expect(body.post).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown' } });
  });

  it.each([
    ['before', 0],
    ['after', 1],
  ])('%s the platform accepted it, and whose connection was deleted since, is failed as unknown', async (when, up) => {
    const { key, connection, postId, claimed } = await claimedPost();
    if (when === 'after') await callPlatform(claimed);
    await world.rest(`DELETE /connections/${connection.id}`, { key });
    world.clock.advance(60_000);

    await world.runDue();

    const message = expect.stringMatching(
      /^The send was interrupted.*The connection has no stored credential any more\.$/,
    );
    const { body } = await world.rest(`GET /posts/${postId}`, { key });
    expect(body.post).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown', message } });
    expect(await world.sql('select state from attempts where post_id = $1', [postId])).toEqual([{ state: 'unknown' }]);
    expect(await sandboxOf(world, connection.id)).toHaveLength(up);
  });

  it('is not touched until its lease expires, to the millisecond', async () => {
    const { key, connection, postId } = await claimedPost();

    await world.advance(59_999);
    const before = await world.rest(`GET /posts/${postId}`, { key });
    await world.advance(1);

    expect(before.body.post).toMatchObject({ status: 'processing' });
    const after = await world.rest(`GET /posts/${postId}`, { key });
    expect(after.body.post).toMatchObject({ status: 'sent' });
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ calls: 1 }]);
  });

  it('is recovered regardless of its lease when no other process can be sending', async () => {
    const { postId } = await claimedPost();

    const [recovered] = await claimInterruptedSends(world.context, 100, true);

    expect(recovered).toMatchObject({ post: { id: postId }, interrupted: true });
    await world.context.sends.send(recovered as ClaimedSend);
  });

  it('is recovered once by two concurrent workers', async () => {
    const { connection, postId } = await claimedPost();
    await expireLease(postId);

    const claims = await Promise.all([1, 2].map(() => claimInterruptedSends(world.context, 100)));

    expect(claims.flat().map(({ post }) => post.id)).toEqual([postId]);
    await Promise.all(claims.flat().map((send) => world.context.sends.send(send)));
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ calls: 1 }]);
  });
});

describe('a worker that lost the claim', () => {
  it('changes nothing, for any reported outcome', async () => {
    const { postId, claimed } = await claimedPost();
    await expireLease(postId);
    await world.runDue();
    const before = await rowsOf(postId);
    const error = { code: 'platform_unavailable' as const, message: 'Too late.' };
    const last = { attemptId: claimed.attempt.id, outcome: { state: 'unavailable' as const, error } };
    const outcome = { head: null, error, threadCount: 0, hasFirstComment: false, last };

    const settled = await settleSends(world.context, [{ claimed, outcome }]);

    expect(settled).toEqual([false]);
    expect(await rowsOf(postId)).toEqual(before);
    expect(before.events.map(({ name }) => name)).toEqual(['post.sent']);
  });

  it('also changes nothing when both settle in one batch, in either order', async () => {
    for (const order of [1, -1]) {
      const { postId, claimed } = await claimedPost();
      await expireLease(postId);
      const [taken] = await claimInterruptedSends(world.context, 100);
      const error = { code: 'platform_rejected' as const, message: 'Too late.' };
      const outcomeOf = (last: null) => ({ head: null, error, threadCount: 0, hasFirstComment: false, last });
      const batch = [
        { claimed, outcome: outcomeOf(null) },
        { claimed: taken as ClaimedSend, outcome: outcomeOf(null) },
      ];

      const settled = await settleSends(world.context, order === 1 ? batch : batch.toReversed());

      expect(settled).toEqual(order === 1 ? [false, true] : [true, false]);
      expect((await eventsAbout(world, postId)).map(({ name }) => name)).toEqual(['post.failed']);
    }
  });

  it('creates no second post when it sends anyway', async () => {
    const { connection, postId, claimed } = await claimedPost();
    await expireLease(postId);
    await world.runDue();
    const before = await rowsOf(postId);

    await world.context.sends.send(claimed);

    expect(await sandboxOf(world, connection.id)).toMatchObject([{ calls: 2, is_up: true }]);
    expect(await rowsOf(postId)).toEqual(before);
  });

  it('has the outcome that the other worker stored, and not its own', async () => {
    const { connection, postId, claimed } = await claimedPost();
    await expireLease(postId);
    const [taken] = await claimInterruptedSends(world.context, 100);
    const error = { code: 'platform_rejected' as const, message: 'Refused.' };
    const outcome = { head: null, error, threadCount: 0, hasFirstComment: false, last: null };
    await settleSends(world.context, [{ claimed: taken as ClaimedSend, outcome }]);

    const answer = await world.context.sends.send(claimed);

    expect(await sandboxOf(world, connection.id)).toMatchObject([{ calls: 1 }]);
    expect(answer).toMatchObject({ head: null, error });
  });

  it('answers its own outcome while the other worker has none', async () => {
    const { postId, claimed } = await claimedPost();
    await expireLease(postId);
    await claimInterruptedSends(world.context, 100);

    expect(await world.context.sends.send(claimed)).toMatchObject({ head: { platformPostId: UUID }, error: null });
    await world.advance(60_000);
  });

  it('answers the request that waits for an immediate post with what is stored', async () => {
    const { key } = await accountWithSandbox(world);
    const { send } = world.context.sends;
    const beginLate = vi.spyOn(world.context.sends, 'send').mockImplementationOnce(async (claimed) => {
      world.clock.advance(60_000);
      const taken = await claimInterruptedSends(world.context, 100);
      await Promise.all(taken.map((interrupted) => send(interrupted)));
      return send(claimed);
    });
    onTestFinished(() => beginLate.mockRestore());

    const result = await makePost(world, 'sandbox', { key, text: '[[vanish]]' });

    const { body } = await world.rest(`GET /posts/${result.postId}`, { key });
    expect(body.post).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown' } });
    expect(result).toMatchObject({ status: body.post.status, error: body.post.error });
  });

  it('answers the request with what the other worker stores, also when that one is not done yet', async () => {
    const { key } = await accountWithSandbox(world);
    const { send } = world.context.sends;
    const beginLate = vi.spyOn(world.context.sends, 'send').mockImplementationOnce(async (claimed) => {
      world.clock.advance(60_000);
      const taken = await claimInterruptedSends(world.context, 100);
      const late = send(claimed);
      await Promise.race([late.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 50))]);
      await Promise.all(taken.map((interrupted) => send(interrupted)));
      return late;
    });
    onTestFinished(() => beginLate.mockRestore());

    const result = await makePost(world, 'sandbox', { key, text: '[[vanish]]' });

    const { body } = await world.rest(`GET /posts/${result.postId}`, { key });
    expect(body.post).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown' } });
    expect(result).toMatchObject({ status: body.post.status, error: body.post.error });
  });

  it('does not prevent the other items of its batch from being settled', async () => {
    const [lost, kept] = [await claimedPost(), await claimedPost()];
    await expireLease(lost.postId);
    await claimInterruptedSends(world.context, 100);
    const published = { platformPostId: 'x', url: null };
    const outcomeOf = (claimed: { attempt: { id: string } }) => ({
      head: published,
      error: null,
      threadCount: 0,
      hasFirstComment: false,
      last: { attemptId: claimed.attempt.id, outcome: { state: 'accepted' as const, published } },
    });

    const settled = await settleSends(world.context, [
      { claimed: lost.claimed, outcome: outcomeOf(lost.claimed) },
      { claimed: kept.claimed, outcome: outcomeOf(kept.claimed) },
    ]);

    expect(settled).toEqual([false, true]);
    const { body } = await world.rest(`GET /posts/${kept.postId}`, { key: kept.key });
    expect(body.post).toMatchObject({ status: 'sent', platformPostId: 'x' });
    await world.advance(60_000);
  });
});

describe('a send that starts late', () => {
  it('makes no call when another worker has taken the post over', async () => {
    const { connection, postId, claimed } = await claimedPost();
    world.clock.advance(60_000);
    await world.runDue();
    const before = await rowsOf(postId);

    await world.context.sends.send(claimed);

    expect(await sandboxOf(world, connection.id)).toMatchObject([{ calls: 1, is_up: true }]);
    expect(await rowsOf(postId)).toEqual(before);
  });

  it.each([
    ['right after the claim', 0, false],
    ['while the longest call fits into the lease', 12_000, false],
    ['when the lease could end during the call', 12_001, true],
    ['after the lease has ended', 60_000, true],
  ])('renews its lease only when it must: %s', async (_case, afterMs, renews) => {
    const { postId, claimed } = await claimedPost();
    const leaseEnd = async () => {
      const [row] = await world.sql<{ at: string }>('select claimed_until as at from posts where id = $1', [postId]);
      return new Date(row?.at ?? '');
    };
    const before = await leaseEnd();
    world.clock.advance(afterMs);
    const { sandbox } = world.context.platforms;
    const during: Date[] = [];
    const publish: typeof sandbox.publish = async (...call) => {
      during.push(await leaseEnd());
      return sandbox.publish(...call);
    };
    const platforms = { ...world.context.platforms, sandbox: { ...sandbox, publish } };

    const outcome = await createPostSender({ ...world.context, platforms }).send(claimed);

    expect(outcome.error).toBeNull();
    expect(during).toEqual([renews ? new Date(world.clock.now().getTime() + 60_000) : before]);
  });

  it.runIf(TEST_DATABASE_URL)(
    'makes no call when its claim waited in the database until the lease was over',
    async () => {
      const peer = await startPeer(world);
      const { key, connection } = await accountWithSandbox(world);
      const scheduledFor = new Date(world.clock.now().getTime() + 1_000).toISOString();
      await makePost(world, 'sandbox', { key, scheduledFor });
      world.clock.advance(1_000);
      const held = await holdRows(world, 'lock table attempts in share mode');
      const claimed = claimDueSends(world.context);
      await held.waiting(1);
      world.clock.advance(60_000);
      await held.release();
      const { sends: late } = await claimed;
      const taken = await claimInterruptedSends(peer, 100);
      await Promise.all(taken.map((send) => peer.sends.send(send)));

      await Promise.all(late.map((send) => world.context.sends.send(send)));

      expect([late.length, taken.length]).toEqual([1, 1]);
      expect(await sandboxOf(world, connection.id)).toMatchObject([{ calls: 1, is_up: true }]);
    },
  );
});

describe('due posts', () => {
  it('are claimed in due order, oldest first', async () => {
    const { key } = await accountWithSandbox(world);
    const start = world.clock.now().getTime();
    const ids: string[] = [];
    for (const seconds of [30, 10, 20]) {
      const scheduledFor = new Date(start + seconds * 1000).toISOString();
      ids.push((await makePost(world, 'sandbox', { key, scheduledFor })).postId);
    }
    world.clock.advance(30_000);

    const { sends } = await claimDueSends(world.context);

    expect(sends.map(({ post }) => post.id)).toEqual([ids[1], ids[2], ids[0]]);
    await Promise.all(sends.map((send) => world.context.sends.send(send)));
  });

  it('report when the next of them is due', async () => {
    const { key } = await accountWithSandbox(world);
    const none = await nextDueAt(world.context);
    const at = (seconds: number) => new Date(world.clock.now().getTime() + seconds * 1000);
    const [soon, later] = [at(60), at(120)];
    await makePost(world, 'sandbox', { key, scheduledFor: later.toISOString() });
    await makePost(world, 'sandbox', { key, scheduledFor: soon.toISOString() });

    const next = await nextDueAt(world.context);

    expect([none, next]).toEqual([null, soon]);
    await world.advance(120_000);
  });

  it('are no longer started after the worker is asked to stop', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const scheduledFor = new Date(world.clock.now().getTime() + 1_000).toISOString();
    await makePost(world, 'sandbox', { key, scheduledFor });
    world.clock.advance(1_000);

    const begun = await scheduledPosts.run(world.context, AbortSignal.abort());

    expect(begun).toBe(0);
    expect(await sandboxOf(world, connection.id)).toEqual([]);
    await world.runDue();
  });

  /** Makes 300 posts due, runs two workers, and checks what was published. */
  async function race(workers: () => Promise<unknown>) {
    const { id: accountId, key, connection } = await accountWithSandbox(world);
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
    await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        makePost(world, 'sandbox', { key, text: `Post ${index}`, scheduledFor }),
      ),
    );
    world.clock.advance(60_000);
    await workers();
    const statuses = await world.sql<{ status: string; posts: number }>(
      'select status, count(*)::int as posts from posts where account_id = $1 group by status',
      [accountId],
    );
    const events = await world.sql<{ name: string; events: number }>(
      `select name, count(*)::int as events from events where account_id = $1 and name like 'post.%' group by name`,
      [accountId],
    );
    return { statuses, events, onSandbox: await sandboxOf(world, connection.id) };
  }

  it('are each sent exactly once by two concurrent workers', async () => {
    const { statuses, events, onSandbox } = await race(() => Promise.all([world.runDue(), world.runDue()]));

    expect(statuses).toEqual([{ status: 'sent', posts: 300 }]);
    expect(events).toEqual([{ name: 'post.sent', events: 300 }]);
    expect(new Set(onSandbox.map(({ text }) => text)).size).toBe(300);
    expect(onSandbox.filter(({ calls }) => calls !== 1)).toEqual([]);
    expect(onSandbox).toHaveLength(300);
  });

  it.runIf(TEST_DATABASE_URL)('are each sent exactly once by two processes on one database', async () => {
    const peer = await startPeer(world);
    const shares: number[] = [];

    const { statuses, events, onSandbox } = await race(async () => {
      const drain = async (context: typeof world.context) => {
        for (let begun = -1; begun !== 0;) {
          begun = await scheduledPosts.run(context, new AbortController().signal);
          shares.push(begun);
          await context.sends.drained();
        }
      };
      await Promise.all([world.context, peer].map(drain));
      await Promise.all([world.context.sends.drained(), peer.sends.drained()]);
    });

    expect(shares.reduce((sum, share) => sum + share)).toBe(300);
    expect(statuses).toEqual([{ status: 'sent', posts: 300 }]);
    expect(events).toEqual([{ name: 'post.sent', events: 300 }]);
    expect(onSandbox).toHaveLength(300);
    expect(onSandbox.filter(({ calls }) => calls !== 1)).toEqual([]);
  });

  it.runIf(TEST_DATABASE_URL)('are claimed beside those that another process is claiming', async () => {
    const peer = await startPeer(world);
    const claims: ClaimedDue[] = [];

    await race(() =>
      peer.db.em().transactional(async (em) => {
        // As many as one claim picks of one account.
        await query(
          em,
          `select id from posts where status = 'scheduled' order by scheduled_for, id limit 100 for update`,
        );
        const claim = await claimDueSends(world.context);
        claims.push(claim);
        await Promise.all(claim.sends.map((send) => world.context.sends.send(send)));
      }),
    );

    expect(claims.map(({ sends, contended }) => [sends.length, contended])).toEqual([[100, false]]);
    await world.runDue();
  });
});
