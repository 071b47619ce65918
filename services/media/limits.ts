/** How much an image and an account may hold (docs/contract/media.md#uploads). */

/** Media types that are taken. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** Bytes of one image. */
export const IMAGE_MAX_BYTES = 8 * 1024 * 1024;

/** Images of one post, and characters of what is said of one. */
export const IMAGES_PER_POST_MAX = 5;
export const ALT_TEXT_MAX = 1000;

/** Bytes of all images of an account. */
export const STORAGE_MAX_BYTES = 50 * 1024 * 1024;

/** Pixels of one image, all its frames together: more is a bomb, or takes more memory than one image may. */
export const IMAGE_MAX_PIXELS = 50_000_000;

/** Frames of one animation. */
export const IMAGE_MAX_FRAMES = 2_000;

/** A number of bytes for people, e.g. `8 MiB` or `2,000,000 bytes`. */
export function bytesInWords(bytes: number): string {
  const mebibytes = bytes / (1024 * 1024);
  return Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${bytes.toLocaleString('en-US')} bytes`;
}
