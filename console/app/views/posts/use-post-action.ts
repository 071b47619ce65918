/** Does something with one post and says how it ended. */
import { useMutation } from '@tanstack/react-query';
import { useLists } from '../../data/live/use-lists.ts';
import { useTRPCClient } from '../../data/trpc.ts';
import { toast } from '../../ui/toasts.tsx';
import type { PostAction } from './post-actions.ts';

export function usePostAction(postId: string) {
  const api = useTRPCClient();
  const { refreshPost, refreshPosts } = useLists();
  return useMutation({
    mutationFn: async (action: PostAction) => {
      await action.run(api, postId);
      toast(`The post is ${action.done}.`);
    },
    onSettled: async () => {
      // A deleted draft is gone.
      await refreshPost(postId).catch(() => undefined);
      await refreshPosts();
    },
  });
}
