/**
 * How an image becomes one that a platform takes: as it is where it can be, else in another type, and
 * only then with fewer details and fewer pixels. Pure; services/media/convert-image.ts carries it out.
 */
import type { ImageFacts } from '../../platforms/contract.ts';

/** What is known of an image before anything is done to it. An animation that is not kept becomes its first frame. */
export interface StoredImage {
  readonly contentType: string;
  /** Bytes once everything that is not the picture is taken out. */
  readonly sizeBytes: number;
  /** Pixels as people see it. */
  readonly width: number;
  readonly height: number;
  /** Whether people see it as its pixels lie: no EXIF orientation turns it. */
  readonly isUpright: boolean;
  readonly hasAlpha: boolean;
  /** Whether its colours are those of screens, not of print. */
  readonly isScreenColour: boolean;
}

/** One try: its result is taken when it has no more bytes than the platform takes. */
export interface Encoding {
  readonly contentType: EncodedType;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** 1 to 100; 100 keeps every pixel where the type can do that. */
  readonly quality: number;
}

export type EncodedType = 'image/jpeg' | 'image/webp' | 'image/png' | 'image/gif';

/** keep: it goes as it is. encode: the tries, best first; empty when the platform takes no type that we write. */
export type ImagePlan = { readonly kind: 'keep' } | { readonly kind: 'encode'; readonly tries: readonly Encoding[] };

/** The types that an image may become, best first. */
const OPAQUE_TYPES: readonly EncodedType[] = ['image/jpeg', 'image/webp', 'image/png', 'image/gif'];
const ALPHA_TYPES: readonly EncodedType[] = ['image/webp', 'image/png', 'image/jpeg', 'image/gif'];

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
 * Bytes that a pixel needs in an ordinary photograph at the lowest of the qualities. What allows fewer is
 * scaled down from the start, to spare tries that must fail.
 */
const BYTES_PER_PIXEL = 0.1;

/** @param facts what the platform takes, under the limits of the account's own server */
export function planImage(image: StoredImage, facts: ImageFacts): ImagePlan {
  const scale = fittingScale(image, facts);
  const goesAsItIs =
    image.isUpright &&
    image.isScreenColour &&
    scale === 1 &&
    facts.types.includes(image.contentType) &&
    image.sizeBytes <= facts.maxBytes;
  if (goesAsItIs) return { kind: 'keep' };
  const type = (image.hasAlpha ? ALPHA_TYPES : OPAQUE_TYPES).find((candidate) => facts.types.includes(candidate));
  if (type === undefined) return { kind: 'encode', tries: [] };
  return {
    kind: 'encode',
    tries: isLossless(type) ? losslessTries(image, type, scale) : lossyTries(image, type, scale, facts.maxBytes),
  };
}

/** The largest scale, at most 1, at which the image has no more pixels than the platform takes. */
function fittingScale({ width, height }: { width: number; height: number }, facts: ImageFacts): number {
  const { maxPixels = Infinity, maxWidth = Infinity, maxHeight = Infinity } = facts;
  return Math.min(1, Math.sqrt(maxPixels / (width * height)), maxWidth / width, maxHeight / height);
}

function lossyTries(image: StoredImage, contentType: EncodedType, scale: number, maxBytes: number): Encoding[] {
  const hopeful = Math.sqrt(maxBytes / BYTES_PER_PIXEL / (image.width * image.height));
  const full = Math.min(scale, Math.max(hopeful, 0.1));
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

/** Rounded down, so that no limit is passed by a fraction; at least one pixel each way. */
function scaled({ width, height }: StoredImage, scale: number): { width: number; height: number } {
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
}
