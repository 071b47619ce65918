/** Requests to an image process and its results. Both are copied between processes, so they contain data only. */
import type { ImageFacts } from '../../platforms/contract.ts';
import type { ConvertedImage } from './convert-image.ts';
import type { ImageSize } from './inspect-image.ts';
import type { ImageType } from '../../entities/media.ts';

export type ImageJob =
  | { readonly kind: 'inspect'; readonly bytes: Uint8Array; readonly type: ImageType }
  | { readonly kind: 'convert'; readonly bytes: Uint8Array; readonly type: ImageType; readonly facts: ImageFacts };

export type ImageAnswer =
  | { readonly kind: 'size'; readonly size: ImageSize }
  /** Null when the image cannot be made small enough, or into an accepted type. */
  | { readonly kind: 'converted'; readonly image: ConvertedImage | null }
  /** The image is refused; the message is for the caller. */
  | { readonly kind: 'mismatch'; readonly message: string }
  /** Something else failed; the message is for the log. */
  | { readonly kind: 'failed'; readonly message: string };

/** Processes that each do one job at a time. */
export interface ImageProcesses {
  /**
   * @param signal ends the process that does the job
   * @throws DecodeTimeout at the deadline of one job, after its process was ended; ImageProcessEnded and
   * ImageProcessNotStarted when the process ended unexpectedly; the signal's reason
   */
  run(job: ImageJob, signal?: AbortSignal): Promise<ImageAnswer>;
  /** Timeout of one job in real milliseconds. */
  readonly decodeMs: number;
  /** Ends all processes. */
  close(): void;
}

/** A job exceeded its timeout, and its process was ended. */
export class DecodeTimeout extends Error {
  override name = 'DecodeTimeout';
}

/** An image process could not be started, or ended before it could accept a job. */
export class ImageProcessNotStarted extends Error {
  override name = 'ImageProcessNotStarted';
}

/** An image process ended during its job. */
export class ImageProcessEnded extends Error {
  override name = 'ImageProcessEnded';
}
