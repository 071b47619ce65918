/** Whether the images that a post names are the caller's, and whether its platform carries so many. */
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AnyPlatform, ConnectionLimits } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import type { PartError } from '../posts/send-part.ts';
import { reachableMedia } from './reachable-media.ts';

/** An image of a post, as the request names it. */
export interface NamedMedia {
  readonly id: string;
  /** What this post says of the image; left out, what was said at the upload. */
  readonly altText?: string | null | undefined;
}

/** An image of a post, found. */
export interface CheckedMedia {
  readonly id: string;
  readonly altText: string | null;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * @returns the images in their order, with ids in normal form
 * @throws ServiceError invalid_media naming the first id that is malformed, named twice, unknown, deleted or not the caller's
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
    if (named.findIndex((other) => other.id === id) < index) throw invalid(id, 'is named twice');
  }
  const { condition, parameters } = reachableMedia(caller);
  const sql = `select id from media where ${condition} and id = any($${parameters.push(named.map(({ id }) => id))}::uuid[])`;
  const found = new Set((await query<{ id: string }>(context.db.em(), sql, parameters)).map(({ id }) => id));
  const missing = named.find(({ id }) => !found.has(id));
  if (missing !== undefined) throw invalid(missing.id, 'is no image of yours');
  return named;
}

/**
 * @param limits what the account's own server says, over the platform's facts
 * @returns null when the platform carries so many images; otherwise media_unsupported, or platform_rejected naming limit and value (D27)
 */
export function mediaError(
  platform: AnyPlatform,
  count: number,
  limits: ConnectionLimits | null = null,
): PartError | null {
  if (count === 0) return null;
  if (platform.images === null) {
    return {
      code: 'media_unsupported',
      message: `${platform.name} carries no images; leave them out for this connection.`,
    };
  }
  const max = limits?.images?.max ?? platform.images.max;
  if (count <= max) return null;
  return { code: 'platform_rejected', message: `The post has ${count} images; ${platform.name} takes at most ${max}.` };
}

function invalid(id: string, why: string): ServiceError {
  return new ServiceError('invalid_media', `media: "${id.slice(0, 80)}" ${why}.`);
}
