/** Checks that the images of a post belong to the caller, and that its platform accepts that many. */
import type { ItemError } from '../../errors/item-error.ts';
import { anyOf } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AnyPlatform, ConnectionLimits } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import type { ImageType } from '../../entities/media.ts';
import type { ImageSize } from '../images/inspect-image.ts';
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
  /** What the post says; null when it leaves that to the upload. */
  readonly altText: string | null;
  readonly contentType: ImageType;
  readonly sizeBytes: number;
  /** What the upload said. */
  readonly uploadedAltText: string | null;
}

/** An image of a post that is not fetched yet: of it only the alternative text is known. */
export interface UnfetchedImage {
  readonly altText: string | null;
  readonly uploadedAltText: null;
  readonly width: null;
  readonly height: null;
}

/** The alternative text that goes out with an image; null for none. */
export function altTextOf({
  altText,
  uploadedAltText,
}: Pick<CheckedMedia, 'altText' | 'uploadedAltText'>): string | null {
  return altText ?? uploadedAltText;
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
    if (!UUID.test(id)) throw invalid(`"${id.slice(0, 80)}" is not the id of an image`);
    if (named.findIndex((other) => other.id === id) < index) throw namedTwice(id);
  }
  const rows = await tables(context.db.queries)
    .selectFrom('media')
    .select(['id', 'width', 'height', 'content_type', 'size_bytes', 'alt_text'])
    .where(reachableMedia(caller))
    .where('id', '=', anyOf(named.map(({ id }) => id)))
    .execute();
  const found = new Map(rows.map((row) => [row.id, row]));
  return named.map(({ id, altText }) => {
    const row = found.get(id);
    if (row === undefined) throw invalid(`no image of yours has the id "${id}"`);
    const { width, height, content_type: contentType, size_bytes: sizeBytes, alt_text: uploadedAltText } = row;
    return { id, altText, width, height, contentType: contentType as ImageType, sizeBytes, uploadedAltText };
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
): ItemError | null {
  if (count === 0) return missingImages(platform);
  if (platform.images === null) {
    return {
      code: 'media_unsupported',
      message: `${platform.name} does not support images; leave them out for this connection.`,
    };
  }
  const max = limits?.images?.max ?? platform.images.max;
  if (count <= max) return null;
  return rejected(`The post has ${count} images; ${platform.name} takes at most ${max}.`);
}

function missingImages({ name, images }: AnyPlatform): ItemError | null {
  const min = images?.min ?? 0;
  if (min === 0) return null;
  return rejected(`The post has no image; ${name} needs at least ${min}. Upload one and add its id to media.`);
}

/**
 * @param images those that are not fetched yet are passed over
 * @param from position of the first image to check
 * @returns null when the platform accepts images of these aspect ratios; otherwise platform_rejected naming limit and
 * value (docs/contract/posts.md#refused-before-sending)
 */
export function ratioError(
  { name, images: facts }: AnyPlatform,
  images: readonly (ImageSize | UnfetchedImage)[],
  from = 0,
): ItemError | null {
  const ratio = facts?.ratio;
  if (ratio === undefined) return null;
  const isOutside = ({ width, height }: ImageSize | UnfetchedImage) =>
    width !== null && (width / height < ratio.min || width / height > ratio.max);
  const index = images.findIndex((image, position) => position >= from && isOutside(image));
  const image = images[index];
  if (image === undefined || image.width === null) return null;
  const has = `Image ${index + 1} is ${image.width} by ${image.height} pixels, a ratio of ${asRatio(image)}`;
  return rejected(`${has}; ${name} takes ${ratio.words}. Crop it, upload it again and use the new id.`);
}

/** Width over height, e.g. `2:1` or `0.46:1`. */
function asRatio({ width, height }: ImageSize): string {
  return `${Number((width / height).toPrecision(3))}:1`;
}

function rejected(message: string): ItemError {
  return { code: 'platform_rejected', message };
}

function invalid(why: string): ServiceError {
  return new ServiceError('invalid_media', `media: ${why}.`);
}

function namedTwice(id: string): ServiceError {
  return new ServiceError('invalid_request', `media: the image "${id}" is listed twice; list each image once.`);
}
