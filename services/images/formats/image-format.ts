/** Properties of an image format other than decoding: where a file ends, and which parts are not the picture. */
import type { ImageType } from '../../../entities/media.ts';

/** A byte range of a file. `end` is not included. */
export interface Block {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Limit on parts of a file that cost decoding time, however few bytes they have. */
export interface BlockLimit {
  /** Names of the blocks that are counted together. */
  readonly names: readonly string[];
  /** Plural noun for people. */
  readonly label: string;
  readonly max: number;
}

export interface ImageFormat {
  readonly type: ImageType;
  /** Display name of the format. */
  readonly name: string;
  /** File name extension, without a dot. */
  readonly extension: string;
  /** Whether the file starts with the signature of this format. */
  begins(bytes: Buffer): boolean;
  /** The blocks of the file, up to the end of the image; null when it is truncated or malformed. */
  blocks(bytes: Buffer): readonly Block[] | null;
  /**
   * The same picture, pixel by pixel, without data that is not needed to show it: no location, no camera, no comments.
   */
  withoutMetadata(bytes: Buffer, blocks: readonly Block[]): Buffer;
  /** Absent when the number of pixels alone limits the decoding time. */
  readonly limit?: BlockLimit;
  /** Whether bytes after the end still belong to the picture; zeros are always allowed. */
  mayFollow?(tail: Buffer, blocks: readonly Block[], bytes: Buffer): boolean;
}

/** Joins the blocks that are kept. */
export function joinBlocks(bytes: Buffer, blocks: readonly Block[], keeps: (block: Block) => boolean): Buffer {
  return Buffer.concat(blocks.filter(keeps).map(({ start, end }) => bytes.subarray(start, end)));
}
