/** Size limits of an image and of an account's storage (docs/contract/media.md#uploads). */

/** Most bytes of one image. */
export const IMAGE_MAX_BYTES = 8 * 1024 * 1024;

/** Most images of one post, and most characters of one alternative text. */
export const IMAGES_PER_POST_MAX = 5;
export const ALT_TEXT_MAX = 1000;

/** Most bytes of all images of an account. */
export const STORAGE_MAX_BYTES = 50 * 1024 * 1024;

/**
 * Most pixels of one image, all its frames together: more is a decompression bomb, or needs more memory than one image
 * may use.
 */
export const IMAGE_MAX_PIXELS = 50_000_000;

/** Most frames of one animation. */
export const IMAGE_MAX_FRAMES = 2_000;

/** Formats a number of bytes for people, e.g. `8 MiB` or `2,000,000 bytes`. */
export function formatBytes(bytes: number): string {
  const mebibytes = bytes / (1024 * 1024);
  return Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${bytes.toLocaleString('en-US')} bytes`;
}
