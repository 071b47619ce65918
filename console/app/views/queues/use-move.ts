/**
 * Moves a scheduled post. The new time shows at once. A post that is not in a queue is moved at once too, and Undo moves it
 * back. A queued post loses its slot for good when it gets a time, so the service is asked only when Undo has gone.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { patchPost } from '../../data/live/post-cache.ts';
import { useLists } from '../../data/live/use-lists.ts';
import { ResultFailure } from '../../data/problem.ts';
import { type Outputs, useTRPC, useTRPCClient } from '../../data/trpc.ts';
import { zonedTime } from '../../ui/day-words.ts';
import { doUnlessUndone, toast } from '../../ui/toasts.tsx';
import { useFailureToast } from '../../ui/use-failure-toast.ts';
import { endPendingTime, setPendingTime } from './pending-times.ts';
import { HORIZON_MS } from './slots.ts';

export interface MovablePost {
  readonly id: string;
  readonly scheduledFor: string;
  readonly isQueued: boolean;
  readonly connectionId: string;
}

/** An instant in milliseconds, or the next free slot of the connection. */
export type Target = number | 'next slot';

/** Moves by single key presses follow each other; the service gets the last. */
const PRESSES_MS = 600;

interface Presses {
  readonly timer: ReturnType<typeof setTimeout>;
  /** The post as it was before the first press. */
  readonly post: MovablePost;
  readonly to: number;
  /** Moves the post at once, without Undo. */
  send(): void;
}

const pressed = new Map<string, Presses>();

// A page that is left does at once what it shows.
window.addEventListener('pagehide', () => {
  for (const { timer, send } of pressed.values()) {
    clearTimeout(timer);
    send();
  }
  pressed.clear();
});

/** Where earlier presses have moved a post, before it is drawn there; null without presses. */
export function pressedTo(postId: string): number | null {
  return pressed.get(postId)?.to ?? null;
}

export function useMove(zone: string) {
  const trpc = useTRPC();
  const api = useTRPCClient();
  const queryClient = useQueryClient();
  const { refreshPost, refreshPosts } = useLists();

  const show = ({ id, connectionId }: MovablePost, scheduledFor: string) => {
    setPendingTime(id, scheduledFor);
    patchPost(queryClient, trpc, id, { scheduledFor });
    queryClient.setQueryData(trpc.connections.queue.queryKey({ connectionId }), (data: Queue | undefined) => {
      return data && { ...data, queue: data.queue.map((item) => (item.id === id ? { ...item, scheduledFor } : item)) };
    });
  };

  const { mutate, error, reset } = useMutation({
    ...useFailureToast('The post was not moved.'),
    mutationFn: async ({ post, to }: { post: MovablePost; to: Target }) => {
      const when = to === 'next slot' ? { queue: true } : { scheduledFor: new Date(to).toISOString() };
      const { result } = await api.posts.reschedule.mutate({ postId: post.id, ...when });
      if (result.error !== null) throw new ResultFailure(result.error);
      return result.scheduledFor;
    },
    onSettled: async (_result, _failure, { post, to }) => {
      await refreshPost(post.id).catch(() => undefined);
      forget(post, to);
      await refreshPosts();
      await queryClient.invalidateQueries(trpc.connections.pathFilter());
    },
  });

  /** Ends a move that no later one has followed. */
  const forget = ({ id }: MovablePost, to: Target) => {
    if (to !== 'next slot') endPendingTime(id, new Date(to).toISOString());
  };

  const commit = (post: MovablePost, to: Target) => {
    const back = () => mutate({ post, to: Date.parse(post.scheduledFor) });
    if (!post.isQueued) {
      const onSuccess = (time: string | null) => time !== null && toast(movedTo(Date.parse(time), zone), back);
      return mutate({ post, to }, { onSuccess });
    }
    const words = to === 'next slot' ? 'The post moves to the next free slot.' : movedTo(to, zone);
    doUnlessUndone(
      words,
      () => mutate({ post, to }),
      () => {
        show(post, post.scheduledFor);
        forget(post, Date.parse(post.scheduledFor));
      },
    );
  };

  const canMove = (to: Target): boolean => {
    const now = Date.now();
    if (to === 'next slot' || (to > now && to <= now + HORIZON_MS)) return true;
    toast('A post can be moved to a time from now to 30 days ahead.');
    return false;
  };

  return {
    error,
    move: (post: MovablePost, to: Target) => {
      if (!canMove(to)) return;
      reset();
      if (to !== 'next slot') show(post, new Date(to).toISOString());
      commit(post, to);
    },
    /** One of several steps, such as the press of an arrow key. */
    nudge: (post: MovablePost, to: number) => {
      if (!canMove(to)) return;
      reset();
      const before = pressed.get(post.id);
      clearTimeout(before?.timer);
      const first = before?.post ?? post;
      show(post, new Date(to).toISOString());
      const timer = setTimeout(() => {
        pressed.delete(post.id);
        commit(first, to);
      }, PRESSES_MS);
      pressed.set(post.id, { timer, post: first, to, send: () => mutate({ post: first, to }) });
    },
  };
}

type Queue = Outputs['connections']['queue'];

function movedTo(instant: number, zone: string): string {
  return `The post goes out ${zonedTime(instant, zone)} (${zone}).`;
}
