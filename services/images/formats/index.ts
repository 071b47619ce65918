/** The supported image formats. */
import type { ImageType } from '../../../entities/media.ts';
import { gif } from './gif.ts';
import type { Block, ImageFormat } from './image-format.ts';
import { jpeg } from './jpeg.ts';
import { png } from './png.ts';
import { webp } from './webp.ts';

const formats: Readonly<Record<ImageType, ImageFormat>> = {
  'image/png': png,
  'image/jpeg': jpeg,
  'image/gif': gif,
  'image/webp': webp,
};

/** The format of a media type. */
export function formatOf(type: ImageType): ImageFormat {
  return formats[type];
}

/** The format detected from the first bytes; undefined when it is not supported. */
export function sniffFormat(bytes: Buffer): ImageFormat | undefined {
  return Object.values(formats).find((format) => format.begins(bytes));
}

/** Whether the bytes after the end of an image include any that do not belong to it. */
export function hasTrailingData(format: ImageFormat, bytes: Buffer, blocks: readonly Block[]): boolean {
  const tail = bytes.subarray(blocks.at(-1)?.end ?? 0);
  return tail.some((byte) => byte !== 0) && format.mayFollow?.(tail, blocks, bytes) !== true;
}

/** The same picture without data that is not needed to show it. */
export function withoutMetadata(format: ImageFormat, bytes: Buffer): Buffer {
  const blocks = format.blocks(bytes);
  if (blocks === null) throw new Error(`a stored ${format.name} is broken`);
  return format.withoutMetadata(bytes, blocks);
}
