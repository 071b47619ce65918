/** What is known of an image format besides how to decode it: where a file ends, and what in it is not the picture. */
import type { ImageType } from '../limits.ts';

/** A stretch of a file. `end` is not included. */
export interface Block {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Parts of a file of which each costs decoding time, however few bytes it has. */
export interface BlockLimit {
  /** Names of the blocks that are counted together. */
  readonly names: readonly string[];
  /** What people call them, in the plural. */
  readonly words: string;
  readonly max: number;
}

export interface ImageFormat {
  readonly type: ImageType;
  /** The name people know it by. */
  readonly name: string;
  /** Of a file name, without a dot. */
  readonly extension: string;
  /** Whether the file begins as this format does. */
  begins(bytes: Buffer): boolean;
  /** The file cut into its parts, up to where the image says that it ends; null when it breaks off or is malformed. */
  blocks(bytes: Buffer): readonly Block[] | null;
  /** The same picture, to the pixel, without anything that is not needed to show it: no place, no camera, no comments. */
  bare(bytes: Buffer, blocks: readonly Block[]): Buffer;
  /** Absent where the pixels alone bound the time that decoding takes. */
  readonly limit?: BlockLimit;
  /** Whether what follows the end belongs to the picture all the same; zeros always may. */
  mayFollow?(tail: Buffer, blocks: readonly Block[], bytes: Buffer): boolean;
}

/** The kept blocks, put together again. */
export function joinBlocks(bytes: Buffer, blocks: readonly Block[], keeps: (block: Block) => boolean): Buffer {
  return Buffer.concat(blocks.filter(keeps).map(({ start, end }) => bytes.subarray(start, end)));
}
