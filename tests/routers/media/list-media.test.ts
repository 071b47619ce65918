/**
 * GET /media lists uploaded images, those that no post names, and when each is deleted
 * (docs/contract/media.md#storage-of-images).
 */
import { describe, expect, it } from 'vitest';
import { STORAGE_MAX_BYTES } from '../../../services/images/limits.ts';
import { listMedia } from '../../../services/media/list-media.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { plain } from '../../harness/images.ts';
import { pagesRead } from '../../harness/pages-read.ts';
import { startWorld, type World } from '../../harness/world.ts';

const world = await startWorld();
const PNG = await plain(12, 8).png().toBuffer();

async function upload(key: string, altText = 'A bell', at: World = world) {
  const { body } = await at.rest(`POST /media?altText=${encodeURIComponent(altText)}`, {
    raw: PNG,
    headers: { 'content-type': 'image/png' },
    key,
  });
  return body.media;
}

const idsOf = ({ media }: { media: { id: string }[] }) => media.map(({ id }) => id);

describe('GET /media', () => {
  it('lists the images newest first, a page at a time', async () => {
    const { key } = await accountWithSandbox(world);
    const [first, second, third] = [await upload(key), await upload(key, 'Two'), await upload(key, 'Three')];

    const page = await world.rest('GET /media?limit=2', { key });
    const last = await world.rest(`GET /media?limit=2&cursor=${page.body.nextCursor}`, { key });

    expect([page.status, page.body]).toEqual([200, { media: [third, second], nextCursor: second.id }]);
    expect(last.body).toEqual({ media: [first], nextCursor: null });
  });

  it('with unused=true lists images that neither a draft nor a sent post names', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const [drafted, sent, free, dropped] = [await upload(key), await upload(key), await upload(key), await upload(key)];
    const post = (mediaIds: string[], more: object = {}) =>
      world.rest('POST /posts', {
        key,
        body: { text: 'Ding', connectionSlugs: [connection.slug], mediaIds, ...more },
      });
    const { body: draft } = await post([drafted.id, dropped.id], { isDraft: true });
    await post([sent.id]);
    await world.rest(`PATCH /posts/${draft.results[0].postId}`, { key, body: { mediaIds: [drafted.id] } });

    const { body } = await world.rest('GET /media?unused=true', { key });
    const all = await world.rest('GET /media', { key });

    expect(idsOf(body)).toEqual([dropped.id, free.id]);
    expect(idsOf(all.body)).toEqual([dropped.id, free.id, sent.id, drafted.id]);
  });

  it('shows a key the images in its scope, and deleted images to no key', async () => {
    const { id, key } = await accountWithSandbox(world);
    const profile = await world.profile('A', id);
    const scoped = await world.key({ accountId: id, profileId: profile.id });
    const [own, ofProfile, deleted] = [await upload(key), await upload(scoped.secret), await upload(key)];
    await world.rest(`DELETE /media/${deleted.id}`, { key });

    expect(idsOf((await world.rest('GET /media', { key })).body)).toEqual([ofProfile.id, own.id]);
    expect(idsOf((await world.rest('GET /media', { key: scoped.secret })).body)).toEqual([ofProfile.id]);
  });

  it.each([
    ['limit=0', 'limit: expected at least 1.'],
    ['limit=101', 'limit: expected at most 100.'],
    ['unused=yes', 'unused: expected a boolean.'],
    ['cursor=first', 'cursor: expected a UUID.'],
  ])('refuses %s', async (query, message) => {
    const { status, body } = await world.rest(`GET /media?${query}`);

    expect([status, body.error, body.message]).toEqual([400, 'invalid_request', message]);
  });

  it('is named in the hint when the storage is full', async () => {
    const { id, key } = await accountWithSandbox(world);
    await world.sql('update accounts set media_bytes = $2 where id = $1', [id, STORAGE_MAX_BYTES]);

    const { status, body } = await world.rest('POST /media', {
      raw: PNG,
      headers: { 'content-type': 'image/png' },
      key,
    });

    expect([status, body.error]).toEqual([413, 'storage_full']);
    expect(body.hint).toContain('GET /media?unused=true');
  });

  it('lacks those of cancelled posts, which the hint names, because deleting them makes space', async () => {
    const { id, key } = await accountWithSandbox(world);
    const send = () => world.rest('POST /media', { raw: PNG, headers: { 'content-type': 'image/png' }, key });
    const mediaId: string = (await send()).body.media.id;
    const scheduledFor = new Date(world.clock.now().getTime() + 20 * 86_400_000).toISOString();
    const body = { text: 'Ding', connectionSlugs: ['sandbox'], mediaIds: [mediaId], scheduledFor };
    const [{ postId }] = (await world.rest('POST /posts', { key, body })).body.results;
    await world.rest(`DELETE /posts/${postId}`, { key });
    await world.sql('update accounts set media_bytes = $2 where id = $1', [id, STORAGE_MAX_BYTES]);

    const { media } = (await world.rest('GET /media?unused=true', { key })).body;
    const refused = await send();
    const deleted = await world.rest(`DELETE /media/${mediaId}`, { key });

    expect([media, refused.status, deleted.status, (await send()).status]).toEqual([[], 413, 200, 200]);
    expect(refused.body.hint).toMatch(/cancelled posts with DELETE \/media/);
  });
});

it('deletes an image that no post names 7 days after its upload, on the manual clock too', async () => {
  const install = await startWorld({ clock: 'manual' });
  const [free, needed] = [
    await upload(install.liveKey, 'Free', install),
    await upload(install.liveKey, 'Needed', install),
  ];
  await install.rest('POST /posts', {
    body: { text: 'Ding', connectionSlugs: [install.sandboxSlug], mediaIds: [needed.id], isDraft: true },
  });
  const move = (days: number) => install.rest('POST /simulation/clock', { body: { advanceSeconds: days * 86_400 } });

  await move(6);
  const before = await install.rest('GET /media');
  await move(2);
  const after = await install.rest('GET /media');

  expect(idsOf(before.body)).toEqual([needed.id, free.id]);
  expect(idsOf(after.body)).toEqual([needed.id]);
  expect(install.media.stored.has(free.id)).toBe(false);
});

it('reads no more than its page below thousands of images that were removed after their posts', async () => {
  const [other, { id, key }] = [await accountWithSandbox(world), await accountWithSandbox(world)];
  const [ofOther, ...kept] = [await upload(other.key), await upload(key), await upload(key)];
  const copy = (imageId: string, state: string) =>
    world.sql(
      `insert into media
         select (jsonb_populate_record(m, jsonb_build_object(
           'id', (left(m.id::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, 'state', $2::text))).*
         from media m, generate_series(1, 4000) n where m.id = $1`,
      [imageId, state],
    );
  await copy(ofOther.id, 'stored');
  world.clock.advance(60_000);
  await copy((await upload(key)).id, 'removed');
  await world.sql('analyze media');
  const caller = { accountId: id, profileId: null } as Parameters<typeof listMedia>[1];

  const pages = await pagesRead(world, (context) => listMedia(context, caller, { unused: false, limit: 25 }));

  expect(pages).toBeLessThan(25);
  expect(idsOf((await world.rest('GET /media', { key })).body).slice(1)).toEqual(
    kept.map((image) => image.id).toReversed(),
  );
});
