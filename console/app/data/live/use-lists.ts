/** Makes what is shown true after a change of ours, in the same way as an event does. */
import { useQueryClient } from '@tanstack/react-query';
import { useTRPC, useTRPCClient } from '../trpc.ts';
import { refreshCalendars } from './calendar-cache.ts';
import { patchPost, type Post, refreshPostLists, rowChanges } from './post-cache.ts';

export function useLists() {
  const queryClient = useQueryClient();
  const trpc = useTRPC();
  const api = useTRPCClient();
  return {
    /** Reads the lists of posts again, of endless ones the newest page, and calendars. */
    refreshPosts: async () => {
      refreshCalendars(queryClient, trpc);
      await refreshPostLists(queryClient, trpc, api);
    },
    /** Reads one post again, with its attempts, and writes it into every list that has it. */
    refreshPost: async (postId: string) => {
      const [{ post }] = await Promise.all([
        queryClient.fetchQuery({ ...trpc.posts.get.queryOptions({ postId }), staleTime: 0 }),
        queryClient.invalidateQueries(trpc.posts.attempts.queryFilter({ postId })),
      ]);
      patchPost(queryClient, trpc, postId, rowChanges(post));
    },
    /** Writes the answer of a change into every list that has the post. */
    showPost: (post: Post) => void patchPost(queryClient, trpc, post.id, rowChanges(post)),
  };
}
