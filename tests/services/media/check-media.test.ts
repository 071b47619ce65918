import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../errors/service-error.ts';
import { checkMedia, mediaError, type NamedMedia } from '../../../services/media/check-media.ts';
import { holdMedia } from '../../../services/media/hold-media.ts';
import type { Caller } from '../../../services/access/caller.ts';
import { plain } from '../../harness/images.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const PNG = await plain(2, 2).png().toBuffer();
const UNKNOWN_MEDIA = '01900000-0000-7000-8000-00000000000a';

const [account] = await world.sql<{ id: string }>('select id from accounts');
const owner: Caller = {
  accountId: account!.id,
  keyId: '',
  profileId: null,
  mode: 'live',
  scopes: null,
  approval: 'none',
  policyId: null,
  actor: { kind: 'key', id: '', name: '' },
};
const { id: profileId } = await world.profile();

async function upload(key = world.liveKey): Promise<string> {
  const { body } = await world.rest('POST /media', { raw: PNG, key, headers: { 'content-type': 'image/png' } });
  return body.media.id;
}

async function refusalOf(caller: Caller, media: NamedMedia[]): Promise<string> {
  try {
    await checkMedia(world.context, caller, media);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_media') return error.message;
    throw error;
  }
  return 'taken';
}

describe('checkMedia', () => {
  it('returns the images in order, with the alt texts of the post', async () => {
    const [first, second] = [await upload(), await upload()];

    const checked = await checkMedia(world.context, owner, [
      { id: second.toUpperCase(), altText: 'Second' },
      { id: first },
    ]);

    const stored = { width: 2, height: 2, contentType: 'image/png', sizeBytes: 96, uploadedAltText: null };
    expect(checked).toEqual([
      { id: second, altText: 'Second', ...stored },
      { id: first, altText: null, ...stored },
    ]);
  });

  it.each([
    ['malformed', 'abc', 'media: "abc" is not the id of an image.'],
    ['unknown', UNKNOWN_MEDIA, `media: no image of yours has the id "${UNKNOWN_MEDIA}".`],
  ])('names an id that is %s', async (_case, id, message) => {
    expect(await refusalOf(owner, [{ id: await upload() }, { id }])).toBe(message);
  });

  it('refuses a duplicate image in a post', async () => {
    const id = await upload();

    await expect(checkMedia(world.context, owner, [{ id }, { id: id.toUpperCase() }])).rejects.toMatchObject({
      code: 'invalid_request',
      message: `media: the image "${id}" is listed twice; list each image once.`,
    });
  });

  it('refuses images of other profiles and accounts', async () => {
    const own = await upload();
    const { secret } = await world.key({ profileId });
    const ofProfile = await upload(secret);

    expect(await refusalOf({ ...owner, profileId }, [{ id: own }])).toContain('no image of yours has the id');
    expect(await refusalOf({ ...owner, profileId }, [{ id: ofProfile }])).toBe('taken');
    expect(await refusalOf(owner, [{ id: ofProfile }])).toBe('taken');
    expect(await refusalOf({ ...owner, accountId: UNKNOWN_MEDIA }, [{ id: own }])).toContain(
      'no image of yours has the id',
    );
  });
});

describe('holdMedia', () => {
  it('refuses an image that was deleted after it was checked', async () => {
    const id = await upload();
    await world.rest(`DELETE /media/${id}`);

    await expect(holdMedia(world.db.em(), [id])).rejects.toThrow(
      `The image ${id} was deleted while the post was being written.`,
    );
  });
});

describe('mediaError', () => {
  const { bluesky } = world.context.platforms;

  it.each([
    [0, null, null],
    [4, null, null],
    [5, null, { code: 'platform_rejected', message: 'The post has 5 images; Bluesky takes at most 4.' }],
    [
      2,
      { images: { max: 1 } },
      { code: 'platform_rejected', message: 'The post has 2 images; Bluesky takes at most 1.' },
    ],
  ])('of %i images, under limits %j', (count, limits, expected) => {
    expect(mediaError(bluesky, count, limits)).toEqual(expected);
  });

  it('of a platform without images', () => {
    expect(mediaError({ ...bluesky, images: null }, 0)).toBe(null);
    expect(mediaError({ ...bluesky, images: null }, 1)).toMatchObject({ code: 'media_unsupported' });
  });
});
