/** Changes of queue slots in the console: quick ones do not undo each other. */
import { MutationObserver, QueryClient } from '@tanstack/react-query';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { expect, it, onTestFinished } from 'vitest';
import type { LiveCache } from '../../console/app/data/live/apply-event.ts';
import { type QueueEdit, queueMutation } from '../../console/app/views/queues/queue-mutation.ts';
import { type Slot, withoutSlots, withSlots } from '../../console/app/views/queues/slots.ts';

const WEEK: readonly Slot[] = [1, 2, 3].map((weekday) => ({ weekday, time: '09:00' }));

/** A queue with three slots whose changes are answered when the test says so. */
function queue() {
  let slots = WEEK;
  const waiting: (() => void)[] = [];
  const connection = () => ({ id: 'bell', slug: 'bell', timezone: 'UTC', queueSlots: slots });
  const api = {
    connections: {
      get: { query: async () => ({ connection: connection() }) },
      updateQueue: {
        mutate: async (input: { readonly slots: readonly Slot[] }) => {
          await new Promise<void>((resolve) => void waiting.push(resolve));
          slots = input.slots;
          return { connection: { ...connection(), paused: false } };
        },
      },
    },
  } as unknown as LiveCache['api'];
  const queryClient = new QueryClient();
  onTestFinished(() => queryClient.clear());
  const trpc: LiveCache['trpc'] = createTRPCOptionsProxy({ client: api, queryClient });
  const { queryKey } = trpc.connections.list.queryOptions({});
  queryClient.setQueryData(queryKey, { connections: [{ ...connection(), queuePaused: false }] } as never);
  const observer = new MutationObserver(queryClient, queueMutation({ queryClient, trpc, api }, 'bell'));
  onTestFinished(observer.subscribe(() => undefined));
  return {
    change: (edit: QueueEdit) => observer.mutate(edit),
    answer: async () => {
      await expect.poll(() => waiting.length).toBe(1);
      waiting.shift()?.();
    },
    /** Another person adds a slot, which is not shown here. */
    addElsewhere: (slot: Slot) => (slots = [...slots, slot]),
    slots: () => slots,
    shown: () => queryClient.getQueryData(queryKey)?.connections[0]?.queueSlots,
  };
}

it('two slots that are removed in quick succession are both gone, and each is reported', async () => {
  const { change, answer, slots, shown } = queue();
  const reported: number[] = [];
  const remove = (slot: Slot) =>
    change({
      fields: (present) => ({ slots: withoutSlots(present, [slot]) }),
      onDone: () => reported.push(slot.weekday),
    });
  const changes = WEEK.slice(0, 2).map(remove);

  await answer();
  await answer();
  await Promise.all(changes);

  expect(slots()).toEqual(WEEK.slice(2));
  expect(shown()).toEqual(WEEK.slice(2));
  expect(reported).toEqual([1, 2]);
});

it('a slot is added to those that another person has added meanwhile', async () => {
  const { change, answer, addElsewhere, slots, shown } = queue();
  const [theirs, own] = [
    { weekday: 4, time: '09:00' },
    { weekday: 5, time: '09:00' },
  ] as const;
  addElsewhere(theirs);

  const changed = change({ fields: (present) => ({ slots: withSlots(present, [own]) }), onDone: () => undefined });
  await answer();
  await changed;

  expect(slots()).toEqual([...WEEK, theirs, own]);
  expect(shown()).toEqual([...WEEK, theirs, own]);
});
