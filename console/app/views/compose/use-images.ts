/** The images of a composition: each is uploaded as soon as it is chosen, and named by its id from then on. */
import { useRef, useState } from 'react';
import { refusalOf, uploadImage } from '../../data/images/upload.ts';
import { useTRPCClient } from '../../data/trpc.ts';
import type { ComposedImage, Composition } from './composition.ts';
import type { CompositionStore } from './store.ts';

/** Images that a post may have. */
export const IMAGES_MAX = 5;

/** A file on its way. */
export interface Upload {
  readonly id: number;
  /** The composition that it was chosen for. */
  readonly compositionId: string;
  readonly file: File;
  /** Why it cannot be uploaded; null when it can. */
  readonly refusal: string | null;
  /** The failure of its upload; null while it runs. */
  readonly failure: unknown;
}

export function useImages(store: CompositionStore, shown: Pick<Composition, 'id' | 'images'>) {
  const api = useTRPCClient();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const own = uploads.filter(({ compositionId }) => compositionId === shown.id);
  const lastId = useRef(0);
  const leaveOut = (id: number) => setUploads((before) => before.filter((one) => one.id !== id));
  const upload = async ({ id, file, compositionId }: Upload) => {
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
    const free = IMAGES_MAX - shown.images.length - own.length;
    const chosen = [...files].map((file, index): Upload => {
      lastId.current += 1;
      const tooMany = `A post takes at most ${IMAGES_MAX} images. Remove another one first.`;
      const refusal = refusalOf(file) ?? (index < free ? null : tooMany);
      return { id: lastId.current, compositionId: shown.id, file, refusal, failure: null };
    });
    setUploads((before) => [...before, ...chosen]);
    for (const one of chosen) if (one.refusal === null) void upload(one);
  };
  const again = (one: Upload) => void upload(one);
  return { uploads: own, choose, leaveOut, again };
}
