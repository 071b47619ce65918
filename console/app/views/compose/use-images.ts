/** The images of a composition: each is uploaded as soon as it is chosen, and named by its id from then on. */
import { refusalOf, uploadImage } from '../../data/images/upload.ts';
import { useTRPCClient } from '../../data/trpc.ts';
import type { ComposedImage, Composition } from './composition.ts';
import type { CompositionStore } from './store.ts';
import { type Upload, uploadsOf, useUploads } from './uploads.ts';

/** Images that a post may have. */
export const IMAGES_MAX = 5;

export function useImages(store: CompositionStore, shown: Pick<Composition, 'id' | 'images'>) {
  const api = useTRPCClient();
  const list = uploadsOf(store);
  const own = useUploads(store).filter(({ compositionId }) => compositionId === shown.id);
  const upload = async ({ id, file, compositionId }: Upload) => {
    list.change(id, { failure: null });
    try {
      const { id: mediaId, altText, contentType, width, height } = await uploadImage(api, file);
      const image: ComposedImage = { id: mediaId, altText: altText ?? '', contentType, width, height };
      store.change(({ images }) => ({ images: [...images, image] }), compositionId);
      list.remove(id);
    } catch (failure) {
      list.change(id, { failure });
    }
  };
  const choose = (files: Iterable<File>) => {
    const free = IMAGES_MAX - shown.images.length - own.length;
    const tooMany = `A post takes at most ${IMAGES_MAX} images. Remove another one first.`;
    const chosen = [...files].map((file, index) => {
      const refusal = refusalOf(file) ?? (index < free ? null : tooMany);
      return { compositionId: shown.id, file, refusal, failure: null };
    });
    for (const one of list.add(chosen)) if (one.refusal === null) void upload(one);
  };
  const again = (one: Upload) => void upload(one);
  return { uploads: own, choose, leaveOut: list.remove, again };
}
