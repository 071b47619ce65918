/** Checks that the images of a post belong to the caller, and that its platform accepts that many. */
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AnyPlatform, ConnectionLimits } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import type { PartError } from '../posts/send-part.ts';
import type { ImageSize } from './inspect-image.ts';
import { reachableMedia } from './reachable-media.ts';

/** An image of a post, as named in the request. */
export interface NamedMedia {
  readonly id: string;
  /** Alternative text of the image in this post; default: the one from the upload. */
  readonly altText?: string | null | undefined;
}

/** An image of a post whose row was found. */
export interface CheckedMedia extends ImageSize {
  readonly id: string;
  readonly altText: string | null;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * @returns the images in their order, with normalized ids
 * @throws ServiceError invalid_media naming the first id that is malformed, unknown, deleted or not the caller's;
 * invalid_request naming the first one that is named twice (docs/contract/media.md#images-of-a-post)
 */
export async function checkMedia(
  context: Context,
  caller: Caller,
  media: readonly NamedMedia[],
): Promise<CheckedMedia[]> {
  if (media.length === 0) return [];
  const named = media.map(({ id, altText }) => ({ id: id.toLowerCase(), altText: altText ?? null }));
  for (const [index, { id }] of named.entries()) {
    if (!UUID.test(id)) throw invalid(id, 'is not the id of an image');
    if (named.findIndex((other) => other.id === id) < index) throw namedTwice(id);
  }
  const { condition, parameters } = reachableMedia(caller);
  const sql = `select id, width, height from media where ${condition} and id = any($${parameters.push(named.map(({ id }) => id))}::uuid[])`;
  const rows = await query<ImageSize & { id: string }>(context.db.em(), sql, parameters);
  const found = new Map(rows.map((row) => [row.id, row]));
  return named.map(({ id, altText }) => {
    const size = found.get(id);
    if (size === undefined) throw invalid(id, 'is no image of yours');
    return { id, altText, width: size.width, height: size.height };
  });
}

/**
 * @param limits limits of the account's server, which override the platform's facts
 * @returns null when the platform accepts that many images; otherwise media_unsupported, or platform_rejected naming
 * limit and value (docs/contract/posts.md#refused-before-sending)
 */
export function mediaError(
  platform: AnyPlatform,
  count: number,
  limits: ConnectionLimits | null = null,
): PartError | null {
  if (count === 0) return missingImages(platform);
  if (platform.images === null) {
    return {
      code: 'media_unsupported',
      message: `${platform.name} carries no images; leave them out for this connection.`,
    };
  }
  const max = limits?.images?.max ?? platform.images.max;
  if (count <= max) return null;
  return rejected(`The post has ${count} images; ${platform.name} takes at most ${max}.`);
}

function missingImages({ name, images }: AnyPlatform): PartError | null {
  const min = images?.min ?? 0;
  if (min === 0) return null;
  return rejected(`The post has no image; ${name} takes posts with at least ${min}. Upload one and name it in media.`);
}

/**
 * @returns null when the platform accepts images of these aspect ratios; otherwise platform_rejected naming limit and
 * value (docs/contract/posts.md#refused-before-sending)
 */
export function ratioError({ name, images: facts }: AnyPlatform, images: readonly ImageSize[]): PartError | null {
  const ratio = facts?.ratio;
  if (ratio === undefined) return null;
  const index = images.findIndex(({ width, height }) => width / height < ratio.min || width / height > ratio.max);
  const image = images[index];
  if (image === undefined) return null;
  const has = `Image ${index + 1} is ${image.width} by ${image.height} pixels, a ratio of ${asRatio(image)}`;
  return rejected(`${has}; ${name} takes ${ratio.words}. Crop it, upload it again and name the new one.`);
}

/** Width over height, e.g. `2:1` or `0.46:1`. */
function asRatio({ width, height }: ImageSize): string {
  return `${Number((width / height).toPrecision(3))}:1`;
}

function rejected(message: string): PartError {
  return { code: 'platform_rejected', message };
}

function invalid(id: string, why: string): ServiceError {
  return new ServiceError('invalid_media', `media: "${id.slice(0, 80)}" ${why}.`);
}

function namedTwice(id: string): ServiceError {
  return new ServiceError('invalid_request', `media: the image "${id}" is named twice; name each image once.`);
}
