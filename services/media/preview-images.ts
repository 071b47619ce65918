/**
 * Says what a send would do to the images of a post on a platform. Only sizes and types decide, so no image is decoded;
 * services/images/plan-image.ts decides in the end.
 */
import type { AnyPlatform, ConnectionLimits } from '../../platforms/contract.ts';
import { fittingScale, isGifWithin } from '../images/plan-image.ts';
import { type CheckedMedia, ratioError } from './check-media.ts';

/**
 * resized: to the platform's limits on pixels. converted: into another type. still: only the first frame of a GIF.
 * compressed: to the platform's limit on bytes. altTextCut and altTextDropped: the platform takes less, or none.
 */
export const IMAGE_CHANGES = ['resized', 'converted', 'still', 'compressed', 'altTextCut', 'altTextDropped'] as const;

export type ImageChange = (typeof IMAGE_CHANGES)[number];

export interface ImagePreview {
  id: string;
  /** Pixels after scaling; compressing may make it smaller still. */
  width: number;
  height: number;
  changes: ImageChange[];
  /** Why the platform refuses the image; absent when it takes it. */
  reason?: string;
}

/** @returns one preview per image; none when the platform takes no images */
export function previewImages(
  platform: AnyPlatform,
  limits: ConnectionLimits | null,
  images: readonly CheckedMedia[],
): ImagePreview[] {
  if (platform.images === null) return [];
  const limited = { ...platform.images, ...limits?.images };
  const alone = images.length === 1 ? (limited.typesAlone ?? []) : [];
  const facts = { ...limited, types: [...limited.types, ...alone] };
  return images.map((image, index) => {
    const refusal = ratioError(platform, images.slice(0, index + 1), index);
    const scale = fittingScale(image, facts);
    const isCompressed = image.sizeBytes > facts.maxBytes;
    const isTaken = facts.types.includes(image.contentType);
    // A GIF is sent as it is or as a picture of another type. How many frames it has is known only when it is decoded.
    const isStill =
      image.contentType === 'image/gif' &&
      (!isTaken || scale < 1 || isCompressed || !isGifWithin({ ...image, frames: 1 }, facts));
    const altText = (image.altText ?? image.uploadedAltText ?? '').length;
    const changes: [ImageChange, boolean][] = [
      ['resized', scale < 1],
      ['converted', !isTaken || isStill],
      ['still', isStill],
      ['compressed', isCompressed],
      ['altTextCut', facts.altTextMax !== null && altText > facts.altTextMax],
      ['altTextDropped', facts.altTextMax === null && altText > 0],
    ];
    return {
      id: image.id,
      width: Math.max(1, Math.floor(image.width * scale)),
      height: Math.max(1, Math.floor(image.height * scale)),
      changes: changes.filter(([, happens]) => happens).map(([change]) => change),
      ...(refusal !== null && { reason: refusal.message }),
    };
  });
}
