/**
 * Decodes and encodes all images in separate processes: each job has a deadline, few run at once, and accounts take
 * turns.
 */
import { ServiceError } from '../../errors/service-error.ts';
import type { ImageFacts } from '../../platforms/contract.ts';
import { createFairQueue, QueueFull, type QueueLimit, type QueuePlace } from './fair-queue.ts';
import type { ConvertedImage } from './convert-image.ts';
import { formatOf } from './formats/index.ts';
import {
  DecodeTimeout,
  type ImageAnswer,
  type ImageJob,
  type ImageProcesses,
  ImageProcessEnded,
  ImageProcessNotStarted,
} from './image-job.ts';
import type { ImageSize } from './inspect-image.ts';
import type { ImageType } from '../../entities/media.ts';

/** Most images decoded at once. */
export const DECODERS_MAX = 2;

/**
 * Most memory of a decoder, as measured: an image with transparency that has the most pixels and is rotated and
 * encoded again takes just under it. Limits of memory need room for it (docs/guide/deployment.md#memory).
 */
export const DECODER_MAX_MIB = 1024;

/**
 * Most uploads read for conversions, at most 8 MiB each: those that are being read, that wait for a decoder and that are
 * being converted, so 64 MiB together. Only conversions wait for a slow store: no decoder does.
 */
export const LOADED_MAX = 8;

/** Conversions whose upload has been read: {@link LOADED_MAX} limits them. */
const LOADED: QueueLimit = { perOwner: Infinity, inAll: Infinity };

/** Retry-After value when the queue is full: an ordinary image takes well below a second. */
export const RETRY_AFTER_SECONDS = 5;

/** Uploads hold up to 8 MiB each while they wait. */
export const UPLOADS: QueueLimit = { perOwner: 16, inAll: 32 };

/** Sends wait until their own deadline, and the sender limits how many there are: none is refused. */
export const SENDS: QueueLimit = { perOwner: Infinity, inAll: Infinity };

/** Requests for images on public pages hold nothing while they wait. */
export const PUBLIC_PAGES: QueueLimit = { perOwner: 100, inAll: 100 };

/** An image to convert. */
export interface Conversion {
  readonly type: ImageType;
  /** What the platform accepts. */
  readonly facts: ImageFacts;
  /**
   * Reads the upload when its turn comes, so that little memory is used while many wait. Null when it is gone.
   *
   * @param signal that of the place: the read ends when it aborts
   */
  readonly load: (signal: AbortSignal | undefined) => Promise<Uint8Array | null>;
}

export interface ImageWork {
  /**
   * Checks an upload.
   * @throws ServiceError media_type_mismatch that says what is wrong, or server_busy when too many wait
   */
  inspect(owner: string, bytes: Uint8Array, type: ImageType): Promise<ImageSize>;
  /**
   * @returns null when the upload is gone, or cannot be converted into an image that the platform accepts
   * @throws ServiceError server_busy when too many wait, the deadline passed or processes end; the reason of the place's signal; what
   * `load` throws
   */
  convert(place: QueuePlace, conversion: Conversion): Promise<ConvertedImage | null>;
  /** Ends the processes; running work fails. */
  close(): void;
}

export function createImageWork(processes: ImageProcesses): ImageWork {
  const decoders = createFairQueue(DECODERS_MAX);
  const loads = createFairQueue(LOADED_MAX);

  // A process that was killed from outside says nothing about the image, so a second one tries.
  const run = async (job: ImageJob, signal?: AbortSignal): Promise<ImageAnswer> => {
    try {
      return await processes.run(job, signal);
    } catch (error) {
      if (!isProcessLost(error)) throw error;
      return processes.run(job, signal);
    }
  };

  return {
    inspect: (owner, bytes, type) => {
      const { name } = formatOf(type);
      return taking(decoders.take({ owner, limit: UPLOADS }, () => run({ kind: 'inspect', bytes, type })))
        .then(sizeOf)
        .catch((error: unknown) => {
          if (error instanceof DecodeTimeout)
            throw mismatch(`The ${name} takes longer than ${processes.decodeMs / 1000} s to decode.`);
          if (error instanceof ImageProcessEnded) throw mismatch(`The ${name} cannot be decoded.`, error);
          throw error;
        });
    },
    convert: (place, { type, facts, load }) => {
      const work = async () => {
        const bytes = await load(place.signal);
        if (bytes === null) return null;
        const job = { kind: 'convert', bytes, type, facts } as const;
        return imageOf(await decoders.take({ ...place, limit: LOADED }, () => run(job, place.signal)));
      };
      return taking(loads.take(place, work)).catch((error: unknown) => {
        if (error instanceof DecodeTimeout) throw busy('Converting the image took too long.', error);
        // Uploads were checked, so the image is not the reason: the machine may be short of memory.
        if (isProcessLost(error)) throw busy('The process that converted the image was ended, twice.', error);
        throw error;
      });
    },
    close: () => processes.close(),
  };
}

function isProcessLost(error: unknown): boolean {
  return error instanceof ImageProcessEnded || error instanceof ImageProcessNotStarted;
}

async function taking<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof QueueFull ? busy('Too many images wait to be processed.', error) : error;
  }
}

function sizeOf(answer: ImageAnswer): ImageSize {
  if (answer.kind === 'size') return answer.size;
  throw failureOf(answer);
}

function imageOf(answer: ImageAnswer): ConvertedImage | null {
  if (answer.kind === 'converted') return answer.image;
  throw failureOf(answer);
}

function failureOf(answer: ImageAnswer): Error {
  if (answer.kind === 'mismatch') return mismatch(answer.message);
  return new Error(`an image process answered ${answer.kind === 'failed' ? answer.message : answer.kind}`);
}

function busy(message: string, cause: unknown): ServiceError {
  return new ServiceError('server_busy', message, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

function mismatch(message: string, cause?: unknown): ServiceError {
  return new ServiceError('media_type_mismatch', message, { cause });
}
