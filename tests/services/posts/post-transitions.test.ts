/** Tests every pair in the table of post states: the effect of each API call and worker action in each state. */
import { describe, expect, it } from 'vitest';
import { POST_STATUSES, POST_TRANSITIONS, type PostStatus } from '../../../entities/post.ts';
import { claimDueSends } from '../../../services/sending/claim-due-sends.ts';
import { claimLateSends } from '../../../services/sending/claim-late-sends.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { makePost } from '../../harness/posts.ts';
import { startWorld, type World } from '../../harness/world.ts';

const world = await startWorld();

interface Subject {
  readonly key: string;
  readonly postId: string;
  readonly connectionId: string;
}

async function statusOf(postId: string): Promise<PostStatus | undefined> {
  const [row] = await world.sql<{ status: PostStatus }>('select status from posts where id = $1', [postId]);
  return row?.status;
}

async function post(text: string, afterSeconds?: number): Promise<Subject> {
  const { key, connection } = await accountWithSandbox(world);
  const scheduledFor =
    afterSeconds === undefined
      ? {}
      : { scheduledFor: new Date(world.clock.now().getTime() + afterSeconds * 1000).toISOString() };
  const { postId } = await makePost(world, 'sandbox', { key, text, ...scheduledFor });
  return { key, postId, connectionId: connection.id };
}

const remove = ({ key, postId }: Subject) => world.rest(`DELETE /posts/${postId}`, { key });

/** Brings a post into each state, with API calls if possible. */
const arrive: Record<PostStatus, (text: string) => Promise<Subject>> = {
  sent: () => post('Hello'),
  scheduled: (text) => post(text, 60),
  processing: async (text) => {
    const subject = await post(text, 60);
    world.clock.advance(60_000);
    await claimDueSends(world.context);
    return subject;
  },
  draft: async (text) => {
    const subject = await post(text, 60);
    await world.sql(`update posts set status = 'draft', scheduled_for = null where id = $1`, [subject.postId]);
    return subject;
  },
  failed: () => post('[[reject]]'),
  cancelled: async (text) => {
    const subject = await post(text, 60);
    await remove(subject);
    return subject;
  },
  deleted: async () => {
    const subject = await post('Hello');
    await remove(subject);
    return subject;
  },
};

const inAnHour = () => new Date(world.clock.now().getTime() + 3_600_000).toISOString();

const call =
  (verb: 'publish' | 'retry' | 'reschedule', when: () => object) =>
  ({ key, postId }: Subject) =>
    world.rest(`POST /posts/${postId}/${verb}`, { key, body: when() });

async function asked(verb: 'retry' | 'reschedule', { postId }: Subject) {
  const [row] = await world.sql<{ account_id: string }>('select account_id from posts where id = $1', [postId]);
  const { secret: key } = await world.key({ accountId: row?.account_id ?? '', approval: 'required' });
  return call(verb, () => ({ scheduledFor: inAnHour() }))({ key, postId, connectionId: '' });
}

/** Every action on a post. */
const TRIGGERS: Record<string, (subject: Subject, from: World) => Promise<unknown>> = {
  'POST /posts/{postId}/publish': call('publish', () => ({})),
  'POST /posts/{postId}/publish at a time': call('publish', () => ({ scheduledFor: inAnHour() })),
  'POST /posts/{postId}/publish of a draft that no longer fits': async (subject) => {
    await world.sql(`update posts set text = repeat('x', 501) where id = $1 and status = 'draft'`, [subject.postId]);
    return call('publish', () => ({}))(subject);
  },
  'POST /posts/{postId}/reschedule': call('reschedule', () => ({ scheduledFor: inAnHour() })),
  'POST /posts/{postId}/retry': call('retry', () => ({})),
  'POST /posts/{postId}/retry, mended': async (subject) => {
    await world.sql(`update posts set text = 'Mended' where id = $1 and status = 'failed'`, [subject.postId]);
    return call('retry', () => ({}))(subject);
  },
  'POST /posts/{postId}/retry at a time': call('retry', () => ({ scheduledFor: inAnHour() })),
  'POST /posts/{postId}/retry by a key that has to ask': (subject) => asked('retry', subject),
  'POST /posts/{postId}/reschedule by a key that has to ask': (subject) => asked('reschedule', subject),
  'DELETE /posts/{postId}': remove,
  'DELETE /connections/{connectionId}': ({ key, connectionId }) =>
    world.rest(`DELETE /connections/${connectionId}`, { key }),
  'a worker finds it a day late': async ({ postId }) => {
    await world.sql(`update posts set scheduled_for = $2 where id = $1 and status = 'scheduled'`, [
      postId,
      new Date(world.clock.now().getTime() - 25 * 3_600_000),
    ]);
    return Array.fromAsync(claimLateSends(world.context));
  },
  'a worker claims what is due': async () => {
    world.clock.advance(60_000);
    return claimDueSends(world.context);
  },
  'a worker takes over what was left': async ({ postId }) => {
    await world.sql('update posts set claimed_until = $2 where id = $1 and claim is not null', [
      postId,
      world.clock.now(),
    ]);
    await world.sql(`update posts set scheduled_for = $2 where id = $1 and status = 'scheduled'`, [
      postId,
      new Date(world.clock.now().getTime() + 86_400_000),
    ]);
    return world.runDue();
  },
};

/** Texts with different outcomes, for a post that may still be sent. */
const TEXTS: Partial<Record<PostStatus, readonly string[]>> = {
  draft: ['Hello', '[[reject]]'],
  scheduled: ['Hello', '[[reject]]'],
  processing: ['Hello', '[[reject]]', '[[unavailable]]'],
};

describe('a post', () => {
  it(
    'changes state only as the table of transitions says, for every pair of the table',
    { timeout: 120_000 },
    async () => {
      const seen = new Set<string>();
      for (const from of POST_STATUSES) {
        for (const [, trigger] of Object.entries(TRIGGERS)) {
          for (const text of TEXTS[from] ?? ['Hello']) {
            const subject = await arrive[from](text);
            const before = await statusOf(subject.postId);
            await trigger(subject, world);
            const after = await statusOf(subject.postId);
            // A deleted draft no longer exists and has no state.
            if (after !== undefined && before !== after) seen.add(`${before} → ${after}`);
            expect(before).toBe(from);
            // Posts in intermediate states are finished, so that they are not due in the next test.
            await world.sql(`update posts set status = 'cancelled', claim = null where id = $1`, [subject.postId]);
          }
        }
      }

      // Publishing and retrying now pass through processing within the request.
      const passing = ['draft', 'failed'].flatMap((from) => [`${from} → processing`]);
      const pairs = POST_TRANSITIONS.filter(({ from, to }) => from !== to).map(({ from, to }) => `${from} → ${to}`);
      const table = [...new Set(pairs)].filter((pair) => !passing.includes(pair));
      const throughProcessing = ['draft → sent', 'failed → sent'];
      expect([...seen].toSorted()).toEqual([...table, ...throughProcessing].toSorted());
    },
  );
});

describe('a post in a state that a delete cannot change', () => {
  it.each<[PostStatus, number, string | undefined]>([
    ['processing', 409, 'post_not_cancellable'],
    ['failed', 400, 'delete_unsupported'],
    ['cancelled', 200, undefined],
    ['deleted', 200, undefined],
  ])('%s answers %i %s and stays', async (from, expected, code) => {
    const subject = await arrive[from]('Hello');

    const { status, body } = await remove(subject);

    expect([status, body.error]).toEqual([expected, code]);
    expect(await statusOf(subject.postId)).toBe(from);
  });
});
