/**
 * Changes the order of a queue (docs/contract/scheduling.md#order-of-a-queue). The new order shows at once. Moves that
 * follow each other are one change for the service, and Undo takes all of them back.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { onLeave } from '../../data/leaving.ts';
import { useLists } from '../../data/live/use-lists.ts';
import { useTRPC } from '../../data/trpc.ts';
import { toast } from '../../ui/toasts.tsx';
import { useFailureToast } from '../../ui/use-failure-toast.ts';
import { changedPart, inOrder, movedTo } from './order.ts';
import type { QueueItem } from './use-queues.ts';

export interface QueueOrder {
  /** Why the last change failed; null when it did not. */
  readonly error: unknown;
  /** The posts in the order that is wanted, with the times that they get by it. */
  readonly queue: readonly QueueItem[];
  /** Moves a post earlier or later by so many posts. */
  moveBy(postId: string, by: number): void;
  /** Moves a post to the place of another, and those between by one place. */
  moveOnto(postId: string, otherId: string): void;
}

/** A move waits this long for the next one. */
const MOVES_MS = 600;

/** Moves that the service has not been sent yet. */
interface Moves {
  readonly timer: ReturnType<typeof setTimeout>;
  /** Ids in the order before the first move, and after the last. */
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** @param queue as the service gave it last */
export function useQueueOrder(connectionId: string, queue: readonly QueueItem[]): QueueOrder {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { refreshPosts } = useLists();
  const [wanted, setWanted] = useState<readonly string[]>([]);
  const moves = useRef<Moves | null>(null);
  const sending = useRef(0);
  const shown = inOrder(queue, wanted);

  const { mutateAsync, error, reset } = useMutation(
    trpc.connections.orderQueue.mutationOptions({
      ...useFailureToast('The order of the queue was not changed.'),
      scope: { id: `queue ${connectionId}` },
      onSuccess: (answer) => queryClient.setQueryData(trpc.connections.queue.queryKey({ connectionId }), answer),
      onSettled: () => {
        void queryClient.invalidateQueries(trpc.connections.queue.pathFilter());
        void queryClient.invalidateQueries(trpc.posts.get.pathFilter());
        void refreshPosts();
      },
    }),
  );

  const send = async (postIds: readonly string[], done: () => void) => {
    sending.current += 1;
    // A failure shows in the view, or as a message.
    await mutateAsync({ connectionId, postIds: [...postIds] }).then(done, () => undefined);
    sending.current -= 1;
    if (sending.current === 0 && moves.current === null) setWanted([]);
  };
  const undo = (before: readonly string[]) => {
    reset();
    setWanted(before);
    void send(before, () => toast('The queue is in its earlier order.'));
  };
  const commit = () => {
    if (moves.current === null) return;
    const { timer, from, to } = moves.current;
    clearTimeout(timer);
    moves.current = null;
    const { before, after } = changedPart(from, to);
    if (after.length === 0) return setWanted([]);
    void send(after, () => toast('The order of the queue is changed.', () => undo(before)));
  };
  const commitNow = useEffectEvent(commit);
  useEffect(() => {
    const flush = () => commitNow();
    const stop = onLeave(flush);
    return () => {
      stop();
      flush();
    };
  }, []);

  const change = (next: (ids: readonly string[]) => readonly string[]) => {
    reset();
    clearTimeout(moves.current?.timer);
    const present = shown.map(({ id }) => id);
    const { from, to } = moves.current ?? { from: present, to: present };
    const ids = next(to);
    moves.current = { timer: setTimeout(commit, MOVES_MS), from, to: ids };
    setWanted(ids);
  };
  return {
    error,
    queue: shown,
    moveBy: (postId, by) => change((ids) => movedTo(ids, postId, ids.indexOf(postId) + by)),
    moveOnto: (postId, otherId) => change((ids) => movedTo(ids, postId, ids.indexOf(otherId))),
  };
}
