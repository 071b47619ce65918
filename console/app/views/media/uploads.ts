/** Images that a person has chosen, until they are uploaded or left out. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { refusalOf, uploadImage } from '../../data/images/upload.ts';
import { useTRPC, useTRPCClient } from '../../data/trpc.ts';
import { toast } from '../../ui/toasts.tsx';

export interface ChosenImage {
  readonly id: number;
  readonly file: File;
  readonly altText: string;
  /** Why it cannot be uploaded; null when it can. */
  readonly refusal: string | null;
  /** The failure of its last upload. */
  readonly failure: unknown;
}

export function useUploads() {
  const api = useTRPCClient();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [images, setImages] = useState<readonly ChosenImage[]>([]);
  const lastId = useRef(0);

  const change = (id: number, changes: Partial<ChosenImage>) =>
    setImages((before) => before.map((image) => (image.id === id ? { ...image, ...changes } : image)));
  const leaveOut = (id: number) => setImages((before) => before.filter((image) => image.id !== id));
  const choose = (files: Iterable<File>) => {
    const chosen = [...files].map((file) => {
      lastId.current += 1;
      return { id: lastId.current, file, altText: '', refusal: refusalOf(file), failure: null };
    });
    setImages((before) => [...before, ...chosen]);
  };
  const sending = useMutation({
    // One after the other: each takes up to 8 MiB, and the first failure shows before the others are sent.
    mutationFn: async () => {
      let uploaded = 0;
      for (const { id, file, altText, refusal } of images) {
        if (refusal !== null) continue;
        try {
          await uploadImage(api, file, altText);
          uploaded += 1;
          leaveOut(id);
        } catch (failure) {
          change(id, { failure });
        }
      }
      return uploaded;
    },
    onSuccess: (uploaded) => {
      if (uploaded > 0) toast(uploaded === 1 ? 'The image is uploaded.' : `${uploaded} images are uploaded.`);
    },
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries(trpc.media.pathFilter()),
        queryClient.invalidateQueries(trpc.account.pathFilter()),
      ]),
  });
  return { images, choose, change, leaveOut, upload: () => sending.mutate(), isUploading: sending.isPending };
}
