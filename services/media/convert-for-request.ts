/** Converts an image for a request that waits for the answer. */
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { QueuePlace } from '../fair-queue.ts';
import type { ConvertedImage } from './convert-image.ts';
import { type Conversion, RETRY_AFTER_SECONDS } from './image-work.ts';

/** Real milliseconds that waiting and converting may take together. */
const ANSWER_MS = 20_000;

/**
 * @returns null when the upload is gone, or cannot be made into what the platform takes
 * @throws ServiceError server_busy when too many wait, or it took too long
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
    if (!signal.aborted) throw cause;
    const message = `The image was not ready within ${ANSWER_MS / 1000} s.`;
    throw new ServiceError('server_busy', message, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
  }
}
