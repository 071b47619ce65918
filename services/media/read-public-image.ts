/** The image that a signed address stands for: made from the upload as the platform takes it, and kept for the next fetch. */
import { query } from '../../entities/query.ts';
import type { ImageFacts } from '../../platforms/contract.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import { type ConvertedImage, convertImage } from './convert-image.ts';
import { type ImageAddress, isGoodAddress } from './image-address.ts';
import type { ImageType } from './limits.ts';

/** Real time that making the image may take, in milliseconds. */
const CONVERT_MS = 15_000;

/** Images that a process keeps, at most 8 MB each: platforms fetch the same one several times within seconds. */
const KEPT_MAX = 8;

/** Gives the image at an address; null for an address that is wrong in whatever way, and for an image that is gone. */
export type PublicImages = (address: ImageAddress, signature: string) => Promise<ConvertedImage | null>;

/** Whoever asks for an image that is being made waits for it, so that many fetches make one image. */
export function createPublicImages(context: Context): PublicImages {
  const kept = new Map<string, Promise<ConvertedImage | null>>();
  return async (address, signature) => {
    if (!isGoodAddress(context, address, signature)) return null;
    const type = await storedType(context, address.mediaId);
    if (type === null) return null;
    const name = `${address.platformId}/${address.mediaId}`;
    const image = kept.get(name) ?? make(context, address, type);
    kept.delete(name);
    kept.set(name, image);
    for (const oldest of [...kept.keys()].slice(0, -KEPT_MAX)) kept.delete(oldest);
    try {
      return await image;
    } catch (error) {
      kept.delete(name);
      throw error;
    }
  };
}

async function storedType(context: Context, mediaId: string): Promise<ImageType | null> {
  const sql = `select content_type from media where id = $1 and state = 'stored'`;
  const [row] = await query<{ content_type: ImageType }>(context.db.em(), sql, [mediaId]);
  return row?.content_type ?? null;
}

/** With the facts that it was made with for the platform, the same bytes come out. */
async function make(context: Context, { platformId, mediaId }: ImageAddress, type: ImageType) {
  const bytes = await context.media.get(mediaId);
  if (bytes === null) return null;
  const facts = platformOf(context.platforms, platformId).images as ImageFacts;
  return convertImage(bytes, type, facts, context.clock.deadline(CONVERT_MS));
}
