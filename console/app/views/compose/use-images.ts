/** The images of a composition: each is uploaded as soon as it is chosen, and named by its id from then on. */
import { useRef, useState } from 'react';
import { refusalOf, uploadImage } from '../../data/images/upload.ts';
import { useTRPCClient } from '../../data/trpc.ts';
import type { ComposedImage } from './composition.ts';
import type { CompositionStore } from './store.ts';

/** Images that a post may have. */
export const IMAGES_MAX = 5;

/** A file on its way. */
export interface Upload {
  readonly id: number;
  readonly file: File;
  /** Why it cannot be uploaded; null when it can. */
  readonly refusal: string | null;
  /** The failure of its upload; null while it runs. */
  readonly failure: unknown;
}

export function useImages(store: CompositionStore) {
  const api = useTRPCClient();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const lastId = useRef(0);
  const leaveOut = (id: number) => setUploads((before) => before.filter((one) => one.id !== id));
  const upload = async (id: number, file: File, compositionId: string) => {
    setUploads((before) => before.map((one) => (one.id === id ? { ...one, failure: null } : one)));
    try {
      const { id: mediaId, altText, contentType, width, height } = await uploadImage(api, file);
      const image: ComposedImage = { id: mediaId, altText: altText ?? '', contentType, width, height };
      store.change(({ images }) => ({ images: [...images, image] }), compositionId);
      leaveOut(id);
    } catch (failure) {
      setUploads((before) => before.map((one) => (one.id === id ? { ...one, failure } : one)));
    }
  };
  const choose = (files: Iterable<File>) => {
    const { id: compositionId, images } = store.current();
    const free = IMAGES_MAX - images.length - uploads.length;
    const chosen = [...files].map((file, index): Upload => {
      lastId.current += 1;
      const tooMany = `A post takes at most ${IMAGES_MAX} images. Remove another one first.`;
      return { id: lastId.current, file, refusal: refusalOf(file) ?? (index < free ? null : tooMany), failure: null };
    });
    setUploads((before) => [...before, ...chosen]);
    for (const { id, file, refusal } of chosen) if (refusal === null) void upload(id, file, compositionId);
  };
  const isUploading = uploads.some(({ refusal, failure }) => refusal === null && failure === null);
  const again = ({ id, file }: Upload) => void upload(id, file, store.current().id);
  return { uploads, choose, leaveOut, again, isUploading };
}
