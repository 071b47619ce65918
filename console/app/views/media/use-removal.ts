/** Deletes images. The service cannot bring one back, so it is asked only after the time for undo has passed. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTRPC } from '../../data/trpc.ts';
import { doUnlessUndone } from '../../ui/toasts.tsx';
import { useFailureToast } from '../../ui/use-failure-toast.ts';

export function useRemoval() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const show = (id: string) => setHidden((before) => new Set([...before].filter((other) => other !== id)));
  const { mutate, error } = useMutation(
    trpc.media.delete.mutationOptions({
      ...useFailureToast('The image was not deleted.'),
      onSettled: async (_answer, _error, { mediaId }) => {
        await Promise.all([
          queryClient.invalidateQueries(trpc.media.pathFilter()),
          queryClient.invalidateQueries(trpc.account.pathFilter()),
        ]);
        show(mediaId);
      },
    }),
  );
  const remove = (mediaId: string) => {
    setHidden((before) => new Set([...before, mediaId]));
    doUnlessUndone(
      'The image is deleted.',
      () => mutate({ mediaId }),
      () => show(mediaId),
    );
  };
  return { hidden, remove, error };
}
