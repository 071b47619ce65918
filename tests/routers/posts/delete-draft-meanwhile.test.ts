/** A draft that is deleted while other requests use it or its images (docs/contract/posts.md#deleting). */
import { describe, expect, it } from 'vitest';
import { authenticate } from '../../../services/keys/authenticate.ts';
import type { Caller } from '../../../services/access/caller.ts';
import { deletePost } from '../../../services/posts/delete-post.ts';
import { listPosts } from '../../../services/posts/list-posts.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { plain } from '../../harness/images.ts';
import { beforeStatement, beforeTransactions } from '../../harness/interleave.ts';
import { sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const PNG = await plain(8, 8).png().toBuffer();
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: '09:00' }));

/** An account on a plan with limits, with a queue, and a draft with one image. */
async function accountWithDraft() {
  const { key, connection, id: accountId } = await accountWithSandbox(world);
  await world.sql(`update accounts set plan = 'free' where id = $1`, [accountId]);
  await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { slots: EVERY_DAY } });
  const upload = await world.rest('POST /media', { key, raw: PNG, headers: { 'content-type': 'image/png' } });
  const mediaId: string = upload.body.media.id;
  const post = async (fields: object) => {
    const body = { text: 'Ding', connectionSlugs: ['sandbox'], mediaIds: [mediaId], ...fields };
    return (await world.rest('POST /posts', { key, body })).body.results[0];
  };
  return { key, connection, accountId, mediaId, post, draftId: (await post({ isDraft: true })).postId as string };
}

const hold = (table: string, id: string, lock = 'update') =>
  holdRows(world, `select id from ${table} where id = $1 for ${lock}`, [id]);

// These tests need a second connection to the database.
describe.skipIf(world.db.engine !== 'postgres')('a draft that is deleted', () => {
  it('leaves its image to a post that is being stored with it', async () => {
    const { key, connection, mediaId, post, draftId } = await accountWithDraft();
    const held = await hold('connections', connection.id);
    const queueing = post({ queue: true });
    await held.waiting(1);
    const deleting = world.rest(`DELETE /posts/${draftId}`, { key });
    await held.waiting(2, deleting);

    await held.release();

    const { status, scheduledFor } = await queueing;
    expect([status, (await deleting).body]).toEqual(['scheduled', { id: draftId, deleted: true }]);
    expect((await world.rest(`GET /media/${mediaId}`, { key })).status).toBe(200);
    world.clock.set(new Date(scheduledFor));
    await world.runDue();
    expect(await sandboxOf(world, connection.id)).toHaveLength(1);
  });

  it('and published at once is one of the two, and neither request waits for the other without end', async () => {
    const { key, connection, accountId, draftId } = await accountWithDraft();
    const held = await hold('accounts', accountId, 'no key update');
    const publishing = world.rest(`POST /posts/${draftId}/publish`, { key, body: {} });
    await held.waiting(1);
    const deleting = world.rest(`DELETE /posts/${draftId}`, { key });
    await held.waiting(2, deleting);

    await held.release();

    expect([(await publishing).status, (await deleting).body]).toEqual([404, { id: draftId, deleted: true }]);
    expect(await sandboxOf(world, connection.id)).toEqual([]);
  });

  it('and edited at once is not in the way of the edit, which waits for an image before it holds the draft', async () => {
    const { key, mediaId, draftId } = await accountWithDraft();
    const held = await hold('media', mediaId);
    const editing = world.rest(`PATCH /posts/${draftId}`, { key, body: { text: 'Dong', mediaIds: [mediaId] } });
    await held.waiting(1);
    const deleting = world.rest(`DELETE /posts/${draftId}`, { key });
    await held.waiting(2, deleting);

    await held.release();

    expect([(await editing).status, (await deleting).body]).toEqual([404, { id: draftId, deleted: true }]);
    expect((await world.rest(`GET /media/${mediaId}`, { key })).status).toBe(404);
  });
});

describe.skipIf(world.db.engine !== 'postgres')('a draft that is edited', () => {
  it('and published at once, while the image that it gets is deleted, leaves none of the three waiting for another', async () => {
    const { key, accountId, draftId } = await accountWithDraft();
    const upload = await world.rest('POST /media', { key, raw: PNG, headers: { 'content-type': 'image/png' } });
    const newId: string = upload.body.media.id;
    const held = await hold('accounts', accountId, 'no key update');
    const publishing = world.rest(`POST /posts/${draftId}/publish`, { key, body: {} });
    await held.waiting(1);
    const deleting = world.rest(`DELETE /media/${newId}`, { key });
    await held.waiting(2, deleting);
    const editing = world.rest(`PATCH /posts/${draftId}`, { key, body: { mediaIds: [newId] } });
    await held.waiting(3, editing);

    await held.release();

    const answers = await Promise.all([publishing, deleting, editing]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
  });
});

it('is deleted although its images cannot be freed then', async () => {
  const { key, draftId } = await accountWithDraft();
  const admission = await authenticate(world.context, key);
  let transactions = 0;
  const context = beforeTransactions(world.context, async () => {
    transactions += 1;
    if (transactions > 1) throw new Error('Connection terminated unexpectedly');
  });

  expect(await deletePost(context, admission!.caller, draftId)).toEqual({ id: draftId, deleted: true });
});

describe('a list in which a draft is deleted before it is read', () => {
  const caller = { mode: 'live', profileId: null } as Caller;

  it.each([
    ['by words', { q: 'ding' }, 0],
    ['by words, from an offset on', { q: 'ding' }, 1],
    ['by several filters, from an offset on', { tag: ['bells'], status: 'draft' }, 1],
  ] as const)('has one post fewer on its page, and the next page follows: %s', async (_what, filter, offset) => {
    const { id: accountId, key, connection } = await accountWithSandbox(world);
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      const body = { text: 'ding', isDraft: true, tags: ['bells'], connectionSlugs: [connection.slug] };
      ids.unshift((await world.rest('POST /posts', { key, body })).body.results[0].postId);
    }
    const shown = ids.slice(offset, offset + 3);
    const context = beforeStatement(world.context, 'where id = any(', () =>
      world.rest(`DELETE /posts/${shown[1]}`, { key }),
    );

    const page = await listPosts(context, { ...caller, accountId }, { ...filter, limit: 3, offset });

    expect(page.posts.map(({ id }) => id)).toEqual([shown[0], shown[2]]);
    expect(page.nextCursor).toBe(shown[2]);
    const next = await listPosts(
      world.context,
      { ...caller, accountId },
      { ...filter, limit: 3, offset: 0, cursor: shown[2] },
    );
    expect(next.posts.map(({ id }) => id)).toEqual(ids.slice(offset + 3));
  });
});
