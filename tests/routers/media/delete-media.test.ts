import { describe, expect, it } from 'vitest';
import { plain } from '../../harness/images.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const PNG = await plain(12, 8).png().toBuffer();

async function upload(): Promise<string> {
  const { body } = await world.rest('POST /media', { raw: PNG, headers: { 'content-type': 'image/png' } });
  return body.media.id;
}

async function post(fields: object) {
  const { body } = await world.rest('POST /posts', {
    body: { text: 'with a picture', connectionSlugs: [world.sandboxSlug], ...fields },
  });
  return body.results?.[0] ?? body;
}

const used = async () => (await world.sql<{ used: number }>('select media_bytes as used from accounts'))[0]?.used;
const tomorrow = () => new Date(world.clock.now().getTime() + 86_400_000).toISOString();

describe('200', () => {
  it('deletes the row, the bytes and the storage usage', async () => {
    const before = await used();
    const id = await upload();

    const { status, body } = await world.rest(`DELETE /media/${id}`);

    expect([status, body]).toEqual([200, { id, deleted: true }]);
    expect((await world.rest(`GET /media/${id}`)).status).toBe(404);
    expect([world.media.stored.has(id), await used()]).toEqual([false, before]);
    expect(await world.sql('select id from media where id = $1', [id])).toEqual([]);
  });

  it('is the answer to one delete only: a repeat and a concurrent second delete get 404', async () => {
    const id = await upload();

    const answers = await Promise.all([1, 2, 3].map(() => world.rest(`DELETE /media/${id}`)));

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
    expect((await world.rest(`DELETE /media/${id}`)).status).toBe(404);
  });

  it('deletes an image that only finished posts name, and the posts stay readable', async () => {
    const id = await upload();
    const { postId, status } = await post({ mediaIds: [id] });

    expect(status).toBe('sent');
    expect((await world.rest(`DELETE /media/${id}`)).status).toBe(200);
    expect((await world.rest(`GET /posts/${postId}`)).status).toBe(200);
    expect(world.media.stored.has(id)).toBe(false);
  });

  it('leaves bytes that the store fails to delete to housekeeping', async () => {
    const id = await upload();
    const before = await used();
    world.media.faults.push('delete');

    const { status } = await world.rest(`DELETE /media/${id}`);

    expect([status, world.media.stored.has(id), await used()]).toEqual([200, true, (before ?? 0) - PNG.length]);
    await world.housekeep();
    expect([world.media.stored.has(id), await world.sql('select id from media where id = $1', [id])]).toEqual([
      false,
      [],
    ]);
  });
});

describe('409 media_in_use', () => {
  it.each([
    [
      'a draft',
      () => ({ isDraft: true }),
      (id: string) => world.rest(`PATCH /posts/${id}`, { body: { mediaIds: [] } }),
    ],
    ['a scheduled post', () => ({ scheduledFor: tomorrow() }), (id: string) => world.rest(`DELETE /posts/${id}`)],
  ])('is the answer while %s needs the image, and not afterwards', async (_case, fields, letGo) => {
    const id = await upload();
    const { postId } = await post({ ...fields(), mediaIds: [id] });

    const refused = await world.rest(`DELETE /media/${id}`);
    await letGo(postId);
    const deleted = await world.rest(`DELETE /media/${id}`);

    expect([refused.status, refused.body.error]).toEqual([409, 'media_in_use']);
    expect(deleted.status).toBe(200);
  });

  it('is the answer while a post is being sent', async () => {
    const id = await upload();
    const { postId } = await post({ scheduledFor: tomorrow(), mediaIds: [id] });
    await world.sql(`update posts set status = 'processing' where id = $1`, [postId]);

    expect((await world.rest(`DELETE /media/${id}`)).body.error).toBe('media_in_use');
  });
});

it('lets either a delete or a concurrent draft win, so that no draft names a deleted image', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, () => upload()));

  const answers = await Promise.all(
    ids.flatMap((id) => [post({ isDraft: true, mediaIds: [id] }), world.rest(`DELETE /media/${id}`)]),
  );

  const gone = await world.sql(`
    select m.id from post_media u join media m on m.id = u.media_id join posts p on p.id = u.post_id
    where p.status = 'draft' and m.state <> 'stored'`);
  expect(gone).toEqual([]);
  expect(answers).toHaveLength(24);
});

describe('404', () => {
  it('is the answer for another account’s image', async () => {
    const id = await upload();
    const { id: profileId } = await world.profile();
    const { secret } = await world.key({ profileId });

    expect((await world.rest(`DELETE /media/${id}`, { key: secret })).status).toBe(404);
    expect(world.media.stored.has(id)).toBe(true);
  });
});
