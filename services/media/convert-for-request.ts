/** Converts an image for a request that waits for the result. */
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { QueuePlace } from '../images/fair-queue.ts';
import type { ConvertedImage } from '../images/convert-image.ts';
import { type Conversion, RETRY_AFTER_SECONDS } from '../images/image-work.ts';

/** Real milliseconds for waiting, reading the largest image over the slowest link, and converting together. */
const ANSWER_MS = 40_000;

/**
 * @returns null when the upload is gone, or cannot be converted into an image that the platform accepts
 * @throws ServiceError server_busy when too many conversions wait, or the time is over; storage_unavailable
 */
export async function convertForRequest(
  context: Context,
  place: Omit<QueuePlace, 'signal'>,
  conversion: Conversion,
): Promise<ConvertedImage | null> {
  const signal = context.clock.deadline(ANSWER_MS);
  try {
    return await context.images.convert({ ...place, signal }, conversion);
  } catch (cause) {
    // Its own reason says more than the time: a full queue, or a storage that does not answer.
    if (!signal.aborted || cause instanceof ServiceError) throw cause;
    const message = `The image was not ready within ${ANSWER_MS / 1000} s.`;
    throw new ServiceError('server_busy', message, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
  }
}
