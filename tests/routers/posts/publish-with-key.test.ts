/**
 * POST /posts/{postId}/publish with an Idempotency-Key replays every answer to a valid request
 * (docs/contract/posts.md#what-is-stored).
 */
import { describe, expect, it } from 'vitest';
import { authenticate } from '../../../services/keys/authenticate.ts';
import { publishDraft } from '../../../services/posts/publish-draft.ts';
import { afterFirstQuery } from '../../harness/interleave.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

async function draft(text: string, slug = world.sandboxSlug): Promise<string> {
  const { body } = await world.rest('POST /posts', { body: { text, connectionSlugs: [slug], isDraft: true } });
  return body.results[0].postId;
}

const publish = (postId: string, idempotencyKey: string, body: object = {}) =>
  world.rest(`POST /posts/${postId}/publish`, { body, headers: { 'idempotency-key': idempotencyKey } });

const statusOf = async (postId: string) => (await world.rest(`GET /posts/${postId}`)).body.post.status;
const eventsOf = (postId: string) =>
  world.sql<{ name: string }>('select name from events where subject_id = $1 order by id', [postId]);

/** Sends a request three times and runs `between` before each repeat. Expects every answer to equal the first. */
async function expectReplay(send: () => ReturnType<typeof publish>, between: () => Promise<unknown>) {
  const first = await send();
  await between();
  const [second, third] = [await send(), await send()];

  expect([second.status, second.body]).toEqual([first.status, first.body]);
  expect([third.status, third.body]).toEqual([first.status, first.body]);
  expect([first, second, third].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([
    null,
    'true',
    'true',
  ]);
  return first;
}

describe('a repeat under the key', () => {
  it('replays a successful send, without a second send', async () => {
    const postId = await draft('Published under a key');

    const first = await expectReplay(
      () => publish(postId, 'sent'),
      async () => undefined,
    );

    expect(first.body.result).toMatchObject({ status: 'sent', postId });
    expect(await eventsOf(postId)).toEqual([{ name: 'post.sent' }]);
  });

  it('replays a refusal that keeps the draft, even after slots were added; another key publishes', async () => {
    const made = await world.rest('POST /connections', {
      body: { platformId: 'sandbox', credentials: {}, slug: 'slotless' },
    });
    const postId = await draft('No slot yet', 'slotless');

    const first = await expectReplay(
      () => publish(postId, 'slotless', { queue: true }),
      () =>
        world.rest(`PATCH /connections/${made.body.connection.id}/queue`, {
          body: { slots: [{ weekday: 1, time: '09:00' }] },
        }),
    );

    expect(first.body.result).toMatchObject({ status: 'draft', postId, error: { code: 'queue_empty' } });
    expect(await statusOf(postId)).toBe('draft');
    const again = await publish(postId, 'slotless again', { queue: true });
    expect(again.body.result).toMatchObject({ status: 'scheduled', postId, error: null });
  });

  it('replays the answer that failed the draft', async () => {
    const postId = await draft('Fits no more');
    await world.sql(`update posts set text = repeat('x', 501) where id = $1`, [postId]);

    const first = await expectReplay(
      () => publish(postId, 'unfit'),
      () => world.sql(`update posts set text = 'Fits' where id = $1`, [postId]),
    );

    expect(first.status).toBe(200);
    expect(first.body.result).toMatchObject({ status: 'failed', postId, error: { code: 'platform_rejected' } });
    expect(await eventsOf(postId)).toEqual([{ name: 'post.failed' }]);
  });

  it('replays the 400 of a deleted connection, which failed the draft once', async () => {
    const made = await world.rest('POST /connections', {
      body: { platformId: 'sandbox', credentials: {}, slug: 'deleted' },
    });
    const postId = await draft('Orphaned', 'deleted');
    await world.rest(`DELETE /connections/${made.body.connection.id}`);

    const first = await expectReplay(
      () => publish(postId, 'orphaned'),
      async () => undefined,
    );

    expect([first.status, first.body.error]).toEqual([400, 'invalid_connection']);
    expect(await statusOf(postId)).toBe('failed');
    expect(await eventsOf(postId)).toEqual([{ name: 'post.failed' }]);
  });

  it('is a conflict with another body, also after a refusal', async () => {
    const postId = await draft('Asked twice');
    await publish(postId, 'two bodies', { queue: true });

    const { status, body } = await publish(postId, 'two bodies');

    expect([status, body.error]).toEqual([409, 'idempotency_key_conflict']);
    expect(await statusOf(postId)).toBe('draft');
  });

  it('counts as a first request if the earlier one failed validation', async () => {
    const postId = await draft('Mistyped first');
    const refused = await publish(postId, 'mistyped', { scheduledFor: 'tomorrow' });

    const { status, body } = await publish(postId, 'mistyped');

    expect(refused.status).toBe(400);
    expect([status, body.result?.status]).toEqual([200, 'sent']);
  });

  it('returns one answer to five concurrent requests', async () => {
    const postId = await draft('Five at once', world.sandboxSlug);

    const answers = await Promise.all(Array.from({ length: 5 }, () => publish(postId, 'five', { queue: true })));

    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    expect(answers[0]?.body.result).toMatchObject({ status: 'draft', error: { code: 'queue_empty' } });
  });

  it('gets the answer of a request that publishes the draft right after the repeat has searched for one', async () => {
    const postId = await draft('Published in between');
    const caller = (await authenticate(world.context, world.liveKey))?.caller;
    if (caller === undefined) throw new Error('the key is not known');
    const keyed = { key: 'in between', operation: 'posts.publish', hash: 'one body' };
    const answers: object[] = [];
    const context = afterFirstQuery(world.context, async () =>
      answers.push(await publishDraft(world.context, caller, { postId }, keyed)),
    );

    const repeat = await publishDraft({ ...world.context, ...context }, caller, { postId }, keyed);

    const answer = expect.objectContaining({ status: 'sent', postId, error: null });
    expect([...answers, repeat]).toEqual([
      { answer, replayed: false },
      { answer, replayed: true },
    ]);
  });
});
