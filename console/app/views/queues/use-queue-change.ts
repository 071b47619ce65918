/** Changes a queue, with undo. The service takes the whole list of slots, so each change starts from the newest one. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTRPC } from '../../data/trpc.ts';
import { toast } from '../../ui/toasts.tsx';
import { type Slot, withoutSlots, withSlots } from './slots.ts';

export interface QueueChange {
  /** Why the last change failed; null when it did not. */
  readonly error: unknown;
  addSlots(slots: readonly Slot[]): void;
  removeSlots(slots: readonly Slot[]): void;
  setPaused(paused: boolean): void;
  setZone(timezone: string): void;
}

export function useQueueChange(connectionId: string): QueueChange {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const list = trpc.connections.list.queryOptions({});
  const { mutate, error } = useMutation(
    trpc.connections.updateQueue.mutationOptions({
      scope: { id: `queue ${connectionId}` },
      onSettled: () => queryClient.invalidateQueries(trpc.connections.pathFilter()),
    }),
  );
  const current = () =>
    queryClient.getQueryData(list.queryKey)?.connections.find(({ id }) => id === connectionId)?.queueSlots ?? [];
  const save = (changes: Omit<Parameters<typeof mutate>[0], 'connectionId'>, onSuccess: () => void) =>
    mutate({ connectionId, ...changes }, { onSuccess });

  const addSlots = (slots: readonly Slot[]) =>
    save({ slots: withSlots(current(), slots) }, () =>
      toast(slots.length === 1 ? 'The slot is added.' : `${slots.length} slots are added.`, () =>
        save({ slots: withoutSlots(current(), slots) }, () => toast('The week is as it was.')),
      ),
    );
  const removeSlots = (slots: readonly Slot[]) =>
    save({ slots: withoutSlots(current(), slots) }, () =>
      toast('The slot is removed. Posts that wait for it keep their time.', () =>
        save({ slots: withSlots(current(), slots) }, () => toast('The slot is back.')),
      ),
    );
  return {
    error,
    addSlots,
    removeSlots,
    setPaused: (paused) =>
      save({ paused }, () =>
        paused
          ? toast('The queue is paused.', () => save({ paused: false }, () => toast('The queue runs again.')))
          : toast('The queue runs again. Posts that are overdue take the next free slots.'),
      ),
    setZone: (timezone) => save({ timezone }, () => toast(`The slots are now times in ${timezone}.`)),
  };
}
