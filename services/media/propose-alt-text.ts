/**
 * Asks a model that sees for the alt text of a stored image. The answer is only a proposal: nothing is stored or sent
 * (docs/contract/media.md#proposed-alt-text).
 */
import type { ImageFacts } from '../../platforms/contract.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { UPLOADS } from '../images/image-work.ts';
import { ALT_TEXT_MAX } from '../images/limits.ts';
import { altTextRequest } from '../polish/alt-text-request.ts';
import { askInTime } from '../polish/ask-in-time.ts';
import { checkAltText } from '../polish/check-alt-text.ts';
import { drawBoundary } from '../polish/polish-request.ts';
import { failureOf } from '../polish/rewrite-text.ts';
import { convertForRequest } from './convert-for-request.ts';
import { findMedia, mediaNotFound } from './find-media.ts';
import { readStoredImage } from './read-stored-image.ts';

export interface AltTextProposal {
  status: 'proposed' | 'failed';
  /** Null when there is none. */
  altText: string | null;
  /** Why there is none; null otherwise. */
  reason: string | null;
}

/** What models take: a type that all servers read, in a size beyond which models scale down anyway. */
const FOR_MODELS: ImageFacts = {
  max: 1,
  maxBytes: 1024 * 1024,
  types: ['image/jpeg', 'image/png'],
  altTextMax: null,
  maxWidth: 1536,
  maxHeight: 1536,
};

/**
 * @param language BCP 47 tag
 * @throws ServiceError not_found, model_cannot_see, server_busy, storage_unavailable
 */
export async function proposeAltText(
  context: Context,
  caller: Caller,
  mediaId: string,
  language: string,
): Promise<AltTextProposal> {
  const row = await findMedia(context, caller, mediaId);
  const { polisher } = context;
  if (polisher === null) throw new ServiceError('model_cannot_see', 'This install has no model.');
  if (!polisher.seesImages) throw new ServiceError('model_cannot_see');
  const place = { owner: caller.accountId, limit: UPLOADS };
  const load = (signal?: AbortSignal) => readStoredImage(context, row, signal);
  const image = await convertForRequest(context, place, { type: row.content_type, facts: FOR_MODELS, load });
  // The upload was checked, so an image that cannot be converted is one that was deleted meanwhile.
  if (image === null) throw mediaNotFound(mediaId);
  const boundary = drawBoundary([], (length) => context.random.bytes(length));
  const request = altTextRequest(image, language, boundary);
  try {
    const answer = await askInTime(context, polisher, request);
    const altText = checkAltText(answer, { boundary, request, max: ALT_TEXT_MAX });
    return { status: 'proposed', altText, reason: null };
  } catch (error) {
    const { message: reason, detail } = failureOf(error);
    context.log.warn({ mediaId, reason, ...(detail !== undefined && { detail }) }, 'an image could not be described');
    return { status: 'failed', altText: null, reason };
  }
}
