/** Keeps what is shown of queues true. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type Outputs, useTRPC } from '../../data/trpc.ts';

export type QueueItem = Outputs['connections']['queue']['queue'][number];

type Post = Outputs['posts']['list']['posts'][number];

/** Reads queues again when the posts change that are shown: events tell of posts and not of queues. */
export function useFreshQueues(posts: readonly Post[] | undefined): void {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const state = posts?.map(({ id, status, scheduledFor }) => `${id} ${status} ${scheduledFor}`).join();
  useEffect(() => {
    if (state !== undefined) void queryClient.invalidateQueries(trpc.connections.queue.pathFilter());
  }, [state, queryClient, trpc]);
}
