/** Asks the service to move a post, and makes what is shown true afterwards. */
import { mutationOptions } from '@tanstack/react-query';
import type { LiveCache } from '../../data/live/apply-event.ts';
import type { useLists } from '../../data/live/use-lists.ts';
import { ResultFailure } from '../../data/problem.ts';
import type { Move } from './moves.ts';

type Lists = Pick<ReturnType<typeof useLists>, 'refreshPost' | 'refreshPosts'>;

/** @param onEnd called when the post has been read again */
export function moveMutation(
  { queryClient, trpc, api }: LiveCache,
  { refreshPost, refreshPosts }: Lists,
  onEnd: (move: Move) => void,
) {
  return mutationOptions({
    mutationFn: async ({ post, to }: Move) => {
      const when = to === 'next slot' ? { queue: true } : { scheduledFor: new Date(to).toISOString() };
      const { result } = await api.posts.reschedule.mutate({ postId: post.id, ...when });
      if (result.error !== null) throw new ResultFailure(result.error);
      return result.scheduledFor;
    },
    // Not in the call of `mutate`, where only the latest of several moves is reported: the others would have no Undo.
    onSuccess: (scheduledFor, { onDone }) => {
      if (scheduledFor !== null) onDone?.(scheduledFor);
    },
    onSettled: async (_scheduledFor, _failure, move) => {
      await refreshPost(move.post.id).catch(() => undefined);
      onEnd(move);
      await refreshPosts();
      await queryClient.invalidateQueries(trpc.connections.pathFilter());
    },
  });
}
