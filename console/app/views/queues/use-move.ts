/** Moves a scheduled post. The new time shows at once. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { onLeave } from '../../data/leaving.ts';
import { patchPost } from '../../data/live/post-cache.ts';
import { useLists } from '../../data/live/use-lists.ts';
import { type Outputs, useTRPC, useTRPCClient } from '../../data/trpc.ts';
import { doUnlessUndone, toast } from '../../ui/toasts.tsx';
import { useFailureToast } from '../../ui/use-failure-toast.ts';
import { moveMutation } from './move-mutation.ts';
import { type MovablePost, moverOf, sendPressed, type Target } from './moves.ts';
import { endPendingTime, setPendingTime } from './pending-times.ts';
import { HORIZON_MS } from './slots.ts';

onLeave(sendPressed);

export function useMove(zone: string) {
  const trpc = useTRPC();
  const api = useTRPCClient();
  const queryClient = useQueryClient();
  const lists = useLists();

  const show = ({ id, connectionId }: MovablePost, scheduledFor: string) => {
    setPendingTime(id, scheduledFor);
    patchPost(queryClient, trpc, id, { scheduledFor });
    queryClient.setQueryData(trpc.connections.queue.queryKey({ connectionId }), (data: Queue | undefined) => {
      return data && { ...data, queue: data.queue.map((item) => (item.id === id ? { ...item, scheduledFor } : item)) };
    });
  };
  const end = ({ id }: MovablePost, to: Target) => {
    if (to !== 'next slot') endPendingTime(id, new Date(to).toISOString());
  };
  const { mutate, error, reset } = useMutation({
    ...useFailureToast('The post was not moved.'),
    ...moveMutation({ queryClient, trpc, api }, lists, ({ post, to }) => end(post, to)),
  });
  const mover = moverOf({ zone, show, end, mutate, toast, doUnlessUndone });

  const ifPossible =
    <To extends Target>(move: (post: MovablePost, to: To) => void) =>
    (post: MovablePost, to: To): void => {
      if (!canMoveTo(to)) return;
      reset();
      move(post, to);
    };
  return { error, move: ifPossible(mover.move), nudge: ifPossible(mover.nudge) };
}

type Queue = Outputs['connections']['queue'];

function canMoveTo(to: Target): boolean {
  const now = Date.now();
  if (to === 'next slot' || (to > now && to <= now + HORIZON_MS)) return true;
  toast('A post can be moved to a time from now to 30 days ahead.');
  return false;
}
