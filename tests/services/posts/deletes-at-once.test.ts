/**
 * Concurrent deletes of a sent post: one request makes the platform calls, the others return the same answer, and a
 * worker finishes an interrupted deletion.
 */
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { claimInterruptedRemovals, claimRemoval } from '../../../services/sending/claim-removal.ts';
import { recoverRemovals } from '../../../services/sending/recover-removals.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { eventsAbout, makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeMastodon } from '../../platforms/fakes/fake-mastodon.ts';

const ROUTE = 'DELETE /api/v1/statuses/:id';
const REFUSED = { status: 422, json: { error: 'Validation failed' } };
const LEASE_MS = 60_000;

const world = await startWorld();
/** What the platform waits for before it answers a call. */
let othersWait = Promise.resolve();
const server = await startFakeMastodon({
  now: () => world.clock.now(),
  tap: async (moment) => {
    if (moment === 'arrived') await othersWait;
    return undefined;
  },
});
afterAll(() => server.close());
server.addAccount('alice', 'token-of-alice');
await world.rest('POST /connections', {
  body: {
    platformId: 'mastodon',
    slug: 'masto',
    credentials: { instanceUrl: server.url, accessToken: 'token-of-alice' },
  },
});

beforeEach(() => {
  delete server.calls[ROUTE];
  delete server.answers[ROUTE];
});

afterEach(() => {
  vi.restoreAllMocks();
  othersWait = Promise.resolve();
});

async function sentPost(thread: string[] = []): Promise<string> {
  const body = { text: 'Ding', thread, connectionSlugs: ['masto'] };
  return (await world.rest('POST /posts', { body })).body.results[0].postId;
}

const remove = (postId: string) => world.rest(`DELETE /posts/${postId}`);
const namesOf = async (postId: string) => (await eventsAbout(world, postId)).map(({ name }) => name);
const statusOf = async (postId: string) => (await world.rest(`GET /posts/${postId}`)).body.post.status;

async function deletesOf(postId: string): Promise<string[]> {
  const { body } = await world.rest(`GET /posts/${postId}/attempts`);
  return body.attempts
    .filter(({ step }: { step: string }) => step === 'delete')
    .map(({ index, state }: { index: number; state: string }) => `${index} ${state}`);
}

describe.each([5, 20])('%i concurrent deletes of one post', (count) => {
  /** All of them have asked before the platform answers, so that none comes after its refusal. */
  function together(postId: string) {
    const { promise, resolve } = Promise.withResolvers<void>();
    othersWait = promise;
    const sleep = vi.spyOn(world.clock, 'sleep').mockImplementation(async () => {
      if (sleep.mock.calls.length === count - 1) resolve();
      await promise;
      await new Promise(setImmediate);
    });
    return Promise.all(Array.from({ length: count }, () => remove(postId)));
  }

  it('call the platform once, return the same, and emit post.deleted once', async () => {
    const postId = await sentPost();
    const deletedAt = world.clock.now().toISOString();

    const answers = await together(postId);

    expect(server.calls[ROUTE]).toBe(1);
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      answers.map(() => [200, { id: postId, status: 'deleted', deletedAt }]),
    );
    expect(await namesOf(postId)).toEqual(['post.sent', 'post.deleted']);
    expect(await deletesOf(postId)).toEqual(['0 accepted']);
  });

  it('call the platform once when it refuses, and return its refusal', async () => {
    const postId = await sentPost();
    server.answers[ROUTE] = [REFUSED];

    const answers = await together(postId);

    expect(server.calls[ROUTE]).toBe(1);
    const [first] = answers;
    expect([first?.status, first?.body.error]).toEqual([422, 'platform_rejected']);
    for (const { status, body } of answers) {
      expect([status, { ...body, req_id: '' }]).toEqual([first?.status, { ...first?.body, req_id: '' }]);
    }
    expect(await namesOf(postId)).toEqual(['post.sent']);
    expect(await deletesOf(postId)).toEqual(['0 rejected']);
  });

  it('delete each part of a thread once', async () => {
    const postId = await sentPost(['one', 'two']);

    const answers = await together(postId);

    expect(server.calls[ROUTE]).toBe(3);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await deletesOf(postId)).toEqual(['2 accepted', '1 accepted', '0 accepted']);
  });
});

describe('a delete after one that was refused', () => {
  it('calls the platform again', async () => {
    const postId = await sentPost();
    server.answers[ROUTE] = [REFUSED];
    await remove(postId);

    const { status, body } = await remove(postId);

    expect([status, body.status]).toEqual([200, 'deleted']);
    expect(await deletesOf(postId)).toEqual(['0 rejected', '0 accepted']);
  });

  it('of a thread finds the post sent with the parts that are still published', async () => {
    const postId = await sentPost(['one', 'two']);
    const fine = { status: 200, json: {} };
    server.answers[ROUTE] = [fine, REFUSED];

    const refused = await remove(postId);

    expect([refused.status, await statusOf(postId)]).toEqual([422, 'sent']);
    const [row] = await world.sql('select thread_count, claim from posts where id = $1', [postId]);
    expect(row).toEqual({ thread_count: 1, claim: null });
    expect((await remove(postId)).status).toBe(200);
    expect(await deletesOf(postId)).toEqual(['2 accepted', '1 rejected', '1 accepted', '0 accepted']);
  });
});

describe('a delete whose process was killed', () => {
  /**
   * Claims a deletion and stops, like a process that dies after it opened the ledger row of its call, or after the
   * call.
   */
  async function killedDelete(when: 'before the call' | 'after the call'): Promise<string> {
    const postId = await sentPost();
    const claimed = await claimRemoval(world.context, postId);
    const sql = 'select platform_post_id as id from posts where id = $1';
    const [status] = await world.sql<{ id: string }>(sql, [postId]);
    const row = [world.context.random.uuid(), postId, status?.id, claimed?.claim, world.clock.now()];
    await world.sql(
      `insert into attempts (id, post_id, step, index, state, token, started_at, platform_post_id)
       values ($1, $2, 'delete', 0, 'sending', $4, $5, $3)`,
      row,
    );
    if (when === 'after the call') {
      await fetch(`${server.url}/api/v1/statuses/${status?.id}`, {
        method: 'DELETE',
        headers: { authorization: 'Bearer token-of-alice' },
      });
    }
    return postId;
  }

  it.each(['before the call', 'after the call'] as const)('%s is finished by a worker, once', async (when) => {
    const postId = await killedDelete(when);
    world.clock.advance(LEASE_MS - 1);
    await world.runDue();
    expect(await statusOf(postId)).toBe('sent');

    world.clock.advance(1);
    await Promise.all([world.runDue(), world.runDue()]);

    expect(await statusOf(postId)).toBe('deleted');
    expect(server.posts().some(({ id }) => id === postId)).toBe(false);
    expect(await namesOf(postId)).toEqual(['post.sent', 'post.deleted']);
    expect(await deletesOf(postId)).toEqual(['0 accepted']);
  });

  it('is finished at the start of a process that is the only one on the database', async () => {
    const postId = await killedDelete('before the call');

    recoverRemovals(world.context, await claimInterruptedRemovals(world.context, 100, true));
    await world.context.sends.drained();

    expect(await statusOf(postId)).toBe('deleted');
    expect(await namesOf(postId)).toEqual(['post.sent', 'post.deleted']);
  });

  it('makes another request wait, which takes over when the claim has expired', async () => {
    const postId = await killedDelete('before the call');

    const waiting = [remove(postId), remove(postId)];
    while (!world.clock.waits.includes(100)) await new Promise(setImmediate);
    world.clock.advance(LEASE_MS);
    const answers = await Promise.all(waiting);

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    expect(await namesOf(postId)).toEqual(['post.sent', 'post.deleted']);
    expect(await deletesOf(postId)).toEqual(['0 accepted']);
  });

  it('stays sent when the platform refuses the recovery, and can be deleted again', async () => {
    const postId = await killedDelete('before the call');
    server.answers[ROUTE] = [REFUSED];

    await world.advance(LEASE_MS);

    expect([await statusOf(postId), await namesOf(postId)]).toEqual(['sent', ['post.sent']]);
    expect(await deletesOf(postId)).toEqual(['0 rejected']);
    expect((await remove(postId)).status).toBe(200);
    expect(await namesOf(postId)).toEqual(['post.sent', 'post.deleted']);
  });

  it('stays sent when the connection is deleted, and leaves no ledger row open', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key });
    await claimRemoval(world.context, postId);
    await world.sql(
      `insert into attempts (id, post_id, step, index, state, token, started_at) values ($1, $2, 'delete', 0, 'sending', '', $3)`,
      [world.context.random.uuid(), postId, world.clock.now()],
    );
    await world.rest(`DELETE /connections/${connection.id}`, { key });

    await world.advance(LEASE_MS);

    const { body } = await world.rest(`GET /posts/${postId}/attempts`, { key });
    expect(body.attempts.at(-1)).toMatchObject({ step: 'delete', state: 'rejected' });
    const [row] = await world.sql('select status, claim from posts where id = $1', [postId]);
    expect(row).toEqual({ status: 'sent', claim: null });
  });
});
