/** Changes a queue, with undo. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTRPC, useTRPCClient } from '../../data/trpc.ts';
import { toast } from '../../ui/toasts.tsx';
import { useFailureToast } from '../../ui/use-failure-toast.ts';
import { type QueueEdit, queueMutation } from './queue-mutation.ts';
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
  const cache = { queryClient: useQueryClient(), trpc: useTRPC(), api: useTRPCClient() };
  const { mutate, error } = useMutation({
    ...useFailureToast('The queue was not changed.'),
    ...queueMutation(cache, connectionId),
  });
  const save = (fields: QueueEdit['fields'], onDone: () => void) => mutate({ fields, onDone });
  const add = (slots: readonly Slot[], onDone: () => void) =>
    save((present) => ({ slots: withSlots(present, slots) }), onDone);
  const remove = (slots: readonly Slot[], onDone: () => void) =>
    save((present) => ({ slots: withoutSlots(present, slots) }), onDone);
  const setPaused = (paused: boolean, onDone: () => void) => save(() => ({ paused }), onDone);
  return {
    error,
    addSlots: (slots) =>
      add(slots, () =>
        toast(slots.length === 1 ? 'The slot is added.' : `${slots.length} slots are added.`, () =>
          remove(slots, () => toast('The week is as it was.')),
        ),
      ),
    removeSlots: (slots) =>
      remove(slots, () =>
        toast('The slot is removed. Posts that wait for it keep their time.', () =>
          add(slots, () => toast('The slot is back.')),
        ),
      ),
    setPaused: (paused) =>
      setPaused(paused, () =>
        paused
          ? toast('The queue is paused.', () => setPaused(false, () => toast('The queue runs again.')))
          : toast('The queue runs again. Posts that are overdue take the next free slots.'),
      ),
    setZone: (timezone) =>
      save(
        () => ({ timezone }),
        () => toast(`The slots are now times in ${timezone}.`),
      ),
  };
}
