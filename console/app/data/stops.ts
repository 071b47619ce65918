/** What changes with a stop: the list of stops, and the posts that it holds. */
import { useQueryClient } from '@tanstack/react-query';
import { useLists } from './live/use-lists.ts';
import { useTRPC } from './trpc.ts';

/** Reads both again, after a stop or a release. */
export function useRefreshStops(): () => Promise<void> {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { refreshPosts } = useLists();
  return async () => {
    await queryClient.invalidateQueries(trpc.stops.pathFilter());
    await refreshPosts();
  };
}
