/**
 * Plans how an image is converted for a platform: unchanged if possible, otherwise into another type, and only then
 * with lower quality and fewer pixels. Pure; services/images/convert-image.ts executes the plan.
 */
import type { ImageFacts } from '../../platforms/contract.ts';

/** Properties of an image before conversion. An animation that is not kept becomes its first frame. */
export interface StoredImage {
  readonly contentType: string;
  /** Bytes without any metadata. */
  readonly sizeBytes: number;
  /** Pixels after rotation. */
  readonly width: number;
  readonly height: number;
  /** 1 unless it is animated. */
  readonly frames: number;
  /** Whether its pixels are stored upright, so that no EXIF orientation rotates it. */
  readonly isUpright: boolean;
  readonly hasAlpha: boolean;
  /** Whether its colour space is for screens, not for print. */
  readonly isScreenColour: boolean;
}

/** One try: its result is used when it meets the platform's limit on bytes. */
export interface Encoding {
  readonly contentType: EncodedType;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** 1 to 100; 100 is lossless if the type supports that. */
  readonly quality: number;
}

export type EncodedType = 'image/jpeg' | 'image/webp' | 'image/png' | 'image/gif';

/**
 * keep: the image is sent unchanged. encode: the tries, best first; empty when the platform accepts no type that can be
 * encoded here.
 */
export type ImagePlan = { readonly kind: 'keep' } | { readonly kind: 'encode'; readonly tries: readonly Encoding[] };

/** The target types, best first. */
const OPAQUE_TYPES: readonly EncodedType[] = ['image/jpeg', 'image/webp', 'image/png', 'image/gif'];
const ALPHA_TYPES: readonly EncodedType[] = ['image/webp', 'image/png', 'image/jpeg', 'image/gif'];

/** Most pixels of a side that each encoder writes; PNG has no limit that an upload reaches. */
const SIDE_MAX: Readonly<Record<EncodedType, number>> = {
  'image/jpeg': 65_500,
  'image/webp': 16_383,
  'image/png': Infinity,
  'image/gif': 65_535,
};

/** Qualities at full size, then sizes with a quality each. */
const QUALITIES = [92, 85, 75, 65];
const SHRUNK = [
  [0.75, 80],
  [0.5, 80],
  [0.35, 75],
  [0.25, 70],
  [0.125, 65],
] as const;

/**
 * Bytes per pixel of an ordinary photograph at the lowest of the qualities. A limit below that scales the image down
 * from the start, which saves tries that must fail.
 */
const BYTES_PER_PIXEL = 0.1;

/** @param facts what the platform accepts, within the limits of the account's server */
export function planImage(image: StoredImage, facts: ImageFacts): ImagePlan {
  const scale = fittingScale(image, facts);
  const goesAsItIs =
    image.isUpright &&
    image.isScreenColour &&
    scale === 1 &&
    facts.types.includes(image.contentType) &&
    (image.contentType !== 'image/gif' || isGifWithin(image, facts)) &&
    image.sizeBytes <= facts.maxBytes;
  if (goesAsItIs) return { kind: 'keep' };
  const type = (image.hasAlpha ? ALPHA_TYPES : OPAQUE_TYPES).find((candidate) => facts.types.includes(candidate));
  if (type === undefined) return { kind: 'encode', tries: [] };
  const writable = Math.min(scale, SIDE_MAX[type] / Math.max(image.width, image.height));
  return {
    kind: 'encode',
    tries: isLossless(type) ? losslessTries(image, type, writable) : lossyTries(image, type, writable, facts.maxBytes),
  };
}

/** Whether the platform takes an animation of this size. */
export function isGifWithin(
  { width, height, frames }: Pick<StoredImage, 'width' | 'height' | 'frames'>,
  { gif }: ImageFacts,
): boolean {
  return width * height <= (gif?.maxPixels ?? Infinity) && frames <= (gif?.maxFrames ?? Infinity);
}

/** The largest scale, at most 1, at which the image meets the platform's limits on pixels. */
export function fittingScale({ width, height }: { width: number; height: number }, facts: ImageFacts): number {
  const { maxPixels = Infinity, maxWidth = Infinity, maxHeight = Infinity } = facts;
  return Math.min(1, Math.sqrt(maxPixels / (width * height)), maxWidth / width, maxHeight / height);
}

function lossyTries(image: StoredImage, contentType: EncodedType, scale: number, maxBytes: number): Encoding[] {
  const estimate = Math.sqrt(maxBytes / BYTES_PER_PIXEL / (image.width * image.height));
  const full = Math.min(scale, Math.max(estimate, 0.1));
  return [
    ...QUALITIES.map((quality) => ({ contentType, ...scaled(image, full), quality })),
    ...SHRUNK.map(([factor, quality]) => ({ contentType, ...scaled(image, full * factor), quality })),
  ];
}

function losslessTries(image: StoredImage, contentType: EncodedType, scale: number): Encoding[] {
  return [
    { contentType, ...scaled(image, scale), quality: 100 },
    { contentType, ...scaled(image, scale), quality: 80 },
    ...SHRUNK.map(([factor, quality]) => ({ contentType, ...scaled(image, scale * factor), quality })),
  ];
}

function isLossless(type: EncodedType): boolean {
  return type === 'image/png' || type === 'image/gif';
}

/** Rounded down, so that no limit is exceeded by a fraction; at least one pixel each way. */
function scaled({ width, height }: StoredImage, scale: number): { width: number; height: number } {
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
}
