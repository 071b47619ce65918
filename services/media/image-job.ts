/** What is asked of an image process, and what it answers. Both are copied between processes, so they hold data only. */
import type { ImageFacts } from '../../platforms/contract.ts';
import type { ConvertedImage } from './convert-image.ts';
import type { ImageSize } from './inspect-image.ts';
import type { ImageType } from './limits.ts';

export type ImageJob =
  | { readonly kind: 'inspect'; readonly bytes: Uint8Array; readonly type: ImageType }
  | { readonly kind: 'convert'; readonly bytes: Uint8Array; readonly type: ImageType; readonly facts: ImageFacts };

export type ImageAnswer =
  | { readonly kind: 'size'; readonly size: ImageSize }
  /** Null when the image cannot be made small enough, or into a type that is taken. */
  | { readonly kind: 'converted'; readonly image: ConvertedImage | null }
  /** The image is refused; the message is for the caller. */
  | { readonly kind: 'mismatch'; readonly message: string }
  /** Something else failed; the message is for the log. */
  | { readonly kind: 'failed'; readonly message: string };

/** Does one job at a time in each of its processes. */
export interface ImageProcesses {
  /**
   * @param signal ends the process that does the job
   * @throws DecodeTimeout at the deadline of one job, after its process was ended; ImageProcessEnded and
   *   ImageProcessNotStarted when it ended by itself; the signal's reason
   */
  run(job: ImageJob, signal?: AbortSignal): Promise<ImageAnswer>;
  /** Real milliseconds that one job may take. */
  readonly decodeMs: number;
  /** Ends all processes. */
  close(): void;
}

/** A job took too long, and its process was ended. */
export class DecodeTimeout extends Error {
  override name = 'DecodeTimeout';
}

/** An image process could not be started, or ended before it could take a job. */
export class ImageProcessNotStarted extends Error {
  override name = 'ImageProcessNotStarted';
}

/** An image process ended in the middle of its job. */
export class ImageProcessEnded extends Error {
  override name = 'ImageProcessEnded';
}
