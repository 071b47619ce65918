import { beforeEach, describe, expect, it } from 'vitest';
import { cleanUpMedia } from '../../../services/media/clean-up-media.ts';
import { plain } from '../../harness/images.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const PNG = await plain(12, 8).png().toBuffer();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let id = '';
beforeEach(async () => {
  const { body } = await world.rest('POST /media', { raw: PNG, headers: { 'content-type': 'image/png' } });
  id = body.media.id;
});

async function post(text: string, fields: object = {}) {
  const { body } = await world.rest('POST /posts', {
    body: { text, connectionSlugs: [world.sandboxSlug], mediaIds: [id], ...fields },
  });
  return body.results[0];
}

const isThere = async () => (await world.rest(`GET /media/${id}`)).status === 200;
const used = async () => (await world.sql<{ used: number }>('select media_bytes as used from accounts'))[0]?.used ?? 0;
const afterwards = async (ms: number) => {
  world.clock.advance(ms);
  await cleanUpMedia(world.context, new AbortController().signal);
};

describe('images of posts', () => {
  it.each([
    ['sent', 'sent'],
    ['failed', 'refused [[reject]]'],
  ])('are deleted a day after the last attempt of a %s post', async (_status, text) => {
    await post(text);
    const before = await used();

    await afterwards(DAY - 1000);
    expect(await isThere()).toBe(true);
    await afterwards(2000);

    expect([await isThere(), world.media.stored.has(id), await used()]).toEqual([false, false, before - PNG.length]);
  });

  it('are kept while any unsent post needs them', async () => {
    await post('first');
    await post('later', { scheduledFor: new Date(world.clock.now().getTime() + 5 * DAY).toISOString() });

    await afterwards(3 * DAY);
    expect(await isThere()).toBe(true);
    await world.advance(2 * DAY + HOUR);
    await afterwards(DAY + HOUR);

    expect(await isThere()).toBe(false);
  });

  it('are kept while a draft has them', async () => {
    await post('first');
    await post('draft', { isDraft: true });

    await afterwards(30 * DAY);

    expect(await isThere()).toBe(true);
  });

  it('count a retry as an attempt', async () => {
    const { postId } = await post('refused [[reject]]');
    await afterwards(DAY - HOUR);
    await world.rest(`POST /posts/${postId}/retry`, { body: {} });

    await afterwards(2 * HOUR);
    expect(await isThere()).toBe(true);
    await afterwards(DAY);

    expect(await isThere()).toBe(false);
  });

  it('of a post that missed its time are kept for a day after it failed, so that it can be sent again', async () => {
    const { postId } = await post('late', { scheduledFor: new Date(world.clock.now().getTime() + HOUR).toISOString() });
    // No worker runs for three days.
    world.clock.advance(3 * DAY);
    await world.advance(1000);

    await afterwards(DAY - HOUR);

    expect(await isThere()).toBe(true);
    const { body } = await world.rest(`POST /posts/${postId}/retry`, { body: {} });
    expect(body.result).toMatchObject({ status: 'sent', error: null });
  });

  it.each([
    ['at a time', () => ({ scheduledFor: new Date(world.clock.now().getTime() + HOUR).toISOString() })],
    ['into the queue', () => ({ queue: true })],
  ])('that were deleted refuse a retry %s at once, and the post stays failed', async (_when, fields) => {
    const { body: listed } = await world.rest('GET /connections');
    const slots = [{ weekday: 1, time: '09:00' }];
    await world.rest(`PATCH /connections/${listed.connections[0].id}/queue`, { body: { slots } });
    const { postId } = await post('refused [[unavailable]]');
    await afterwards(DAY + HOUR);

    const { body } = await world.rest(`POST /posts/${postId}/retry`, { body: fields() });

    expect(body.result).toMatchObject({
      status: 'failed',
      error: { code: 'platform_rejected', message: expect.stringContaining('Image 1 is no longer stored') },
    });
    expect((await world.rest(`GET /posts/${postId}`)).body.post.status).toBe('failed');
  });

  it('that were deleted make a retry fail: it does not send without them', async () => {
    const { postId } = await post('refused [[unavailable]]');
    await afterwards(DAY + HOUR);

    const { body } = await world.rest(`POST /posts/${postId}/retry`, { body: {} });

    expect(body.result).toMatchObject({
      status: 'failed',
      error: { code: 'platform_rejected', message: expect.stringContaining('Image 1 is no longer stored') },
    });
  });

  it('that were deleted refuse an immediate retry at once: no person is asked to approve it', async () => {
    const { postId } = await post('refused [[unavailable]]');
    await afterwards(DAY + HOUR);
    const { secret: key } = await world.key({ approval: 'required' });

    const { body } = await world.rest(`POST /posts/${postId}/retry`, { key, body: {} });

    expect(body.result).toMatchObject({
      status: 'failed',
      error: { code: 'platform_rejected', message: expect.stringContaining('Image 1 is no longer stored') },
    });
    expect((await world.rest('GET /approvals')).body.approvals).toEqual([]);
  });
});

describe('images that no post names', () => {
  it('are deleted 7 days after their upload', async () => {
    const before = await used();

    await afterwards(7 * DAY - 1000);
    expect(await isThere()).toBe(true);
    await afterwards(2000);

    expect([await isThere(), world.media.stored.has(id), await used()]).toEqual([false, false, before - PNG.length]);
  });

  it('are kept when a draft has named them in the meantime, and deleted with it after the 7 days', async () => {
    const { postId } = await post('draft', { isDraft: true });

    await afterwards(8 * DAY);
    expect(await isThere()).toBe(true);
    await world.rest(`PATCH /posts/${postId}`, { body: { mediaIds: [] } });
    await afterwards(1000);

    expect(await isThere()).toBe(false);
  });
});

it('removes an unfinished upload and its storage usage', async () => {
  const before = await used();
  await world.sql(`update media set state = 'storing' where id = $1`, [id]);

  await afterwards(9 * 60_000);
  expect(await used()).toBe(before);
  await afterwards(2 * 60_000);

  expect([await used(), world.media.stored.has(id)]).toEqual([before - PNG.length, false]);
});

it('retries bytes that the store failed to delete', async () => {
  world.media.faults.push('delete', 'delete');
  await world.rest(`DELETE /media/${id}`);

  await cleanUpMedia(world.context, new AbortController().signal);
  expect(world.media.stored.has(id)).toBe(true);
  await cleanUpMedia(world.context, new AbortController().signal);

  expect(world.media.stored.has(id)).toBe(false);
});

it('removes no further bytes in a round whose time is over', async () => {
  const { body } = await world.rest('POST /media', { raw: PNG, headers: { 'content-type': 'image/png' } });
  const { deadline } = world.clock;
  const over = new AbortController();
  world.clock.deadline = (ms, parent) => (ms === 60_000 ? over.signal : deadline(ms, parent));
  const remove = world.media.delete;
  let asked = 0;
  world.media.delete = async () => {
    asked += 1;
    over.abort();
    throw new Error('the store does not answer');
  };

  await afterwards(8 * DAY);
  Object.assign(world.clock, { deadline });
  Object.assign(world.media, { delete: remove });

  expect(asked).toBe(1);
  await afterwards(0);
  expect(world.media.stored.has(id) || world.media.stored.has(body.media.id)).toBe(false);
});

it('keeps the account’s storage usage equal to the sum of its images', async () => {
  const [row] = await world.sql<{ sum: number }>(
    `select coalesce(sum(size_bytes), 0)::int as sum from media where state in ('storing', 'stored')`,
  );

  expect(await used()).toBe(row?.sum);
});
