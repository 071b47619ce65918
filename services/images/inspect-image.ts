/**
 * Checks that bytes are an image of the declared type, up to the last byte of the last frame, and reads its size. Runs
 * in an image process (server/image-worker.ts), because native decoding stops only when its process ends.
 */
import sharp, { type Metadata } from 'sharp';
import { ServiceError } from '../../errors/service-error.ts';
import { formatOf, hasTrailingData, sniffFormat } from './formats/index.ts';
import type { Block, ImageFormat } from './formats/image-format.ts';
import type { ImageType } from '../../entities/media.ts';
import { IMAGE_MAX_FRAMES, IMAGE_MAX_PIXELS } from './limits.ts';

/** Pixels, after the EXIF orientation has been applied. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** @throws ServiceError media_type_mismatch that says what is wrong with the bytes */
export async function inspectImage(bytes: Buffer, type: ImageType): Promise<ImageSize> {
  const format = formatOf(type);
  checkStructure(format, bytes);
  const size = await readSize(format, bytes);
  await decode(format, bytes, size);
  return size.orientation >= 5
    ? { width: size.height, height: size.width }
    : { width: size.width, height: size.height };
}

function checkStructure(format: ImageFormat, bytes: Buffer): void {
  const found = sniffFormat(bytes);
  if (found !== format) {
    throw mismatch(
      `Content-Type says ${format.type}, but the bytes ${found === undefined ? 'are no image that is taken here' : `are a ${found.name}`}.`,
    );
  }
  const blocks = format.blocks(bytes);
  if (blocks === null) throw mismatch(`The ${format.name} is malformed or breaks off before its end.`);
  checkLimit(format, blocks);
  if (hasTrailingData(format, bytes, blocks))
    throw mismatch(`Something that does not belong to the ${format.name} follows its end.`);
}

function checkLimit({ name, limit }: ImageFormat, blocks: readonly Block[]): void {
  if (limit === undefined) return;
  const count = blocks.filter((block) => limit.names.includes(block.name)).length;
  if (count > limit.max) throw mismatch(`The ${name} has ${count} ${limit.label}; at most ${limit.max} are read.`);
}

/** Stored size of one frame, and the rotation of the image (EXIF, 1 to 8). */
interface StoredSize extends ImageSize {
  readonly orientation: number;
}

async function readSize(format: ImageFormat, bytes: Buffer): Promise<StoredSize> {
  let metadata: Metadata;
  try {
    metadata = await sharp(bytes, { pages: -1, limitInputPixels: false }).metadata();
  } catch (cause) {
    throw undecodable(format, cause);
  }
  const { width, pages: frames = 1, orientation = 1 } = metadata;
  const height = metadata.pageHeight ?? metadata.height;
  const pixels = width * height * frames;
  if (frames > IMAGE_MAX_FRAMES)
    throw mismatch(`The ${format.name} has ${frames} frames; at most ${IMAGE_MAX_FRAMES} are read.`);
  if (pixels > IMAGE_MAX_PIXELS) {
    const [has, most] = [pixels, IMAGE_MAX_PIXELS].map((count) => Math.ceil(count / 1_000_000));
    throw mismatch(`The ${format.name} has ${has} megapixels over all its frames; at most ${most} are read.`);
  }
  return { width, height, orientation };
}

// Some cameras write files that cause decoder warnings, so warnings are no reason to refuse; a truncated picture is.
async function decode(format: ImageFormat, bytes: Buffer, size: ImageSize): Promise<void> {
  try {
    await decodeAll(bytes, size, 'warning');
  } catch (warned) {
    if (/premature end/i.test(String(warned))) throw undecodable(format, warned);
    await decodeAll(bytes, size, 'error').catch((cause: unknown) => {
      throw undecodable(format, cause);
    });
  }
}

/** Averages every frame into one pixel, which reads all frames without keeping them. */
async function decodeAll(bytes: Buffer, { width, height }: ImageSize, failOn: 'warning' | 'error'): Promise<void> {
  await sharp(bytes, { pages: -1, failOn, limitInputPixels: IMAGE_MAX_PIXELS })
    // Requests the whole area, so that the decoder skips no pixels because of the small result.
    .extract({ left: 0, top: 0, width, height })
    .resize(1, 1, { fit: 'fill' })
    .raw()
    .toBuffer();
}

function undecodable(format: ImageFormat, cause: unknown): ServiceError {
  return mismatch(`The ${format.name} cannot be decoded whole.`, cause);
}

function mismatch(message: string, cause?: unknown): ServiceError {
  return new ServiceError('media_type_mismatch', message, { cause });
}
