/**
 * An in-memory LRU cache of converted images. Concurrent requests for an image that is being converted share one
 * conversion.
 */
import type { ConvertedImage } from '../images/convert-image.ts';

export interface ImageCache {
  /** @param make called when the image is neither cached nor being converted; errors and null are not cached */
  get(name: string, make: () => Promise<ConvertedImage | null>): Promise<ConvertedImage | null>;
}

/** @param maxBytes limit for all cached images together */
export function createImageCache(maxBytes: number): ImageCache {
  const images = new Map<string, ConvertedImage>();
  const making = new Map<string, Promise<ConvertedImage | null>>();
  let keptBytes = 0;

  const keep = (name: string, image: ConvertedImage) => {
    images.set(name, image);
    keptBytes += image.bytes.length;
    for (const [oldest, { bytes }] of images) {
      if (keptBytes <= maxBytes) break;
      images.delete(oldest);
      keptBytes -= bytes.length;
    }
  };

  const makeOnce = async (name: string, make: () => Promise<ConvertedImage | null>) => {
    try {
      const image = await make();
      if (image !== null) keep(name, image);
      return image;
    } finally {
      making.delete(name);
    }
  };

  return {
    get: async (name, make) => {
      const found = images.get(name);
      if (found !== undefined) {
        images.delete(name);
        images.set(name, found);
        return found;
      }
      const begun = making.get(name) ?? makeOnce(name, make);
      if (!making.has(name)) making.set(name, begun);
      return begun;
    },
  };
}
