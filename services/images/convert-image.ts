/**
 * Converts an uploaded image into one that a platform accepts: upright, without metadata, within its limits. Runs in an
 * image process (server/image-worker.ts), because native decoding stops only when its process ends.
 */
import sharp, { type OutputInfo, type Sharp } from 'sharp';
import type { ImageFacts, OutgoingImage } from '../../platforms/contract.ts';
import { formatOf, withoutMetadata } from './formats/index.ts';
import type { ImageType } from '../../entities/media.ts';
import { IMAGE_MAX_PIXELS } from './limits.ts';
import { type Encoding, planImage, type StoredImage } from './plan-image.ts';

/** A converted image, without its alternative text. */
export type ConvertedImage = Omit<OutgoingImage, 'mediaId' | 'altText'>;

/** Colour spaces for screens. */
const SCREEN_SPACES = ['srgb', 'rgb', 'b-w', 'rgb16', 'grey16'];

/**
 * @param bytes an image that was checked when it was uploaded
 * @returns null when the image cannot be made small enough, or into a type that the platform accepts
 */
export async function convertImage(
  bytes: Uint8Array,
  type: ImageType,
  facts: ImageFacts,
): Promise<ConvertedImage | null> {
  const stripped = withoutMetadata(formatOf(type), Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const image = await describe(bytes, stripped.length, type);
  const plan = planImage(image, facts);
  const { width, height } = image;
  return plan.kind === 'keep'
    ? { bytes: stripped, contentType: type, width, height }
    : encode(bytes, plan.tries, facts.maxBytes);
}

async function describe(bytes: Uint8Array, sizeBytes: number, contentType: ImageType): Promise<StoredImage> {
  const { autoOrient, pages: frames = 1, orientation = 1, hasAlpha, space } = await sharp(bytes).metadata();
  return {
    contentType,
    sizeBytes,
    ...autoOrient,
    frames,
    isUpright: orientation === 1,
    hasAlpha,
    isScreenColour: SCREEN_SPACES.includes(space),
  };
}

/** Returns the first result that is small enough. The image is decoded once, and every try starts from its pixels. */
async function encode(bytes: Uint8Array, tries: readonly Encoding[], maxBytes: number): Promise<ConvertedImage | null> {
  const [first] = tries;
  if (first === undefined) return null;
  const { data, info } = await decode(bytes, first);
  for (const encoding of tries) {
    const { width, height, contentType } = encoding;
    const raw = { width: info.width, height: info.height, channels: info.channels };
    const resized = sharp(data, { raw }).resize(width, height, { fit: 'fill' });
    const encoded = await asType(resized, encoding).toBuffer();
    if (encoded.length <= maxBytes) return { bytes: encoded, contentType, width, height };
  }
  return null;
}

/** The first frame, upright, in a screen colour space, in the size of the largest try. */
function decode(
  bytes: Uint8Array,
  { width, height, contentType }: Encoding,
): Promise<{ data: Buffer; info: OutputInfo }> {
  const upright = sharp(bytes, { limitInputPixels: IMAGE_MAX_PIXELS }).autoOrient();
  // JPEG has no transparency, so transparent areas become white, as on a page.
  const opaque = contentType === 'image/jpeg' ? upright.flatten({ background: '#ffffff' }) : upright;
  return opaque
    .toColourspace('srgb')
    .resize(width, height, { fit: 'fill' })
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
}

function asType(image: Sharp, { contentType, quality }: Encoding): Sharp {
  switch (contentType) {
    case 'image/jpeg':
      return image.jpeg({ quality });
    case 'image/webp':
      return image.webp({ quality });
    case 'image/png':
      return quality === 100 ? image.png({ compressionLevel: 9 }) : image.png({ palette: true, quality });
    case 'image/gif':
      return image.gif();
  }
}
