/**
 * Changes queues one after the other. The service takes the whole list of slots, so each change starts from the newest, which
 * another tab or person may have changed.
 */
import { mutationOptions } from '@tanstack/react-query';
import type { Inputs } from '../../data/api-types.ts';
import type { LiveCache } from '../../data/live/apply-event.ts';
import type { Slot } from './slots.ts';

export interface QueueEdit {
  /** The fields to send, made when the change is sent: earlier ones have an answer by then. */
  fields(slots: readonly Slot[]): Omit<Inputs['connections']['updateQueue'], 'connectionId'>;
  onDone(): void;
}

export function queueMutation({ queryClient, trpc, api }: LiveCache, connectionId: string) {
  const list = trpc.connections.list.queryOptions({});
  return mutationOptions({
    scope: { id: `queue ${connectionId}` },
    mutationFn: async ({ fields }: QueueEdit) => {
      const newest = await api.connections.get.query({ connectionId });
      const { connection } = await api.connections.updateQueue.mutate({
        connectionId,
        ...fields(newest.connection.queueSlots),
      });
      const { queueSlots, timezone, paused: queuePaused } = connection;
      // A read that began before the change would put the earlier slots back.
      await queryClient.cancelQueries({ queryKey: list.queryKey });
      queryClient.setQueryData(
        list.queryKey,
        (before) =>
          before && {
            ...before,
            connections: before.connections.map((one) =>
              one.id === connectionId ? { ...one, queueSlots, timezone, queuePaused } : one,
            ),
          },
      );
    },
    // Not in the call of `mutate`, where only the latest of several changes is reported.
    onSuccess: (_answer, { onDone }) => onDone(),
    onSettled: () => queryClient.invalidateQueries(trpc.connections.pathFilter()),
  });
}
