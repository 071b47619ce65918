/** Serves the image of a signed url: converted from the upload for the platform, and cached for the next fetch. */
import { type Tables, tables } from '../../entities/tables.ts';
import type { ImageFacts } from '../../platforms/contract.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import { convertForRequest } from './convert-for-request.ts';
import type { ConvertedImage } from '../images/convert-image.ts';
import { SENDS } from '../images/image-work.ts';
import { type ImageAddress, isGoodAddress } from './image-address.ts';
import { readStoredImage, type StoredImageRow, STORED_IMAGE_COLUMNS } from './read-stored-image.ts';

/** Images that a process caches, at most 8 MB each: platforms fetch the same one several times within seconds. */
const KEPT_MAX = 8;

/** Resolves with the image of a url; null for an invalid url, and for an image that is gone. */
export type PublicImages = (address: ImageAddress, signature: string) => Promise<ConvertedImage | null>;

/** Concurrent requests for an image that is being converted wait for it, so that many fetches cause one conversion. */
export function createPublicImages(context: Context): PublicImages {
  const images = new Map<string, Promise<ConvertedImage | null>>();
  return async (address, signature) => {
    if (!isGoodAddress(context, address, signature)) return null;
    const upload = await storedUpload(context, address.mediaId);
    if (upload === null) return null;
    const name = `${address.platformId}/${address.mediaId}`;
    const image = images.get(name) ?? make(context, address.platformId, upload);
    images.delete(name);
    images.set(name, image);
    for (const oldest of [...images.keys()].slice(0, -KEPT_MAX)) images.delete(oldest);
    try {
      return await image;
    } catch (error) {
      images.delete(name);
      throw error;
    }
  };
}

type StoredUpload = StoredImageRow & Pick<Tables['media'], 'account_id' | 'content_type'>;

async function storedUpload(context: Context, mediaId: string): Promise<StoredUpload | null> {
  const row = await tables(context.db.queries)
    .selectFrom('media')
    .select(['account_id', 'content_type', ...STORED_IMAGE_COLUMNS])
    .where('id', '=', mediaId)
    .where('state', '=', 'stored')
    .executeTakeFirst();
  return row ?? null;
}

/** Uses the same facts as the send to the platform, so the bytes are the same. */
async function make(context: Context, platformId: string, upload: StoredUpload) {
  const facts = platformOf(context.platforms, platformId).images as ImageFacts;
  // This work is part of a send and only as frequent as sends: the request has a url that this install signed.
  const place = { owner: upload.account_id, limit: SENDS };
  const load = (signal?: AbortSignal) => readStoredImage(context, upload, signal);
  return convertForRequest(context, place, { type: upload.content_type, facts, load });
}
