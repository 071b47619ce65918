/**
 * Finds and takes slots in the queue of a connection. The post in a slot holds it, so a slot without a post is free.
 */
import type { ItemError } from '../../errors/item-error.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { QueueSlot } from '../../entities/connection.ts';
import { columns } from '../../entities/column-lists.ts';
import { statement } from '../../entities/statement.ts';
import { HORIZON_MS } from './horizon.ts';
import { slotTimes } from './slot-times.ts';

export interface Queue {
  readonly connectionId: string;
  readonly slug: string;
  readonly timezone: string;
  readonly slots: readonly QueueSlot[];
  readonly paused: boolean;
  /** Instants of upcoming slots that are taken, in milliseconds. */
  readonly taken: ReadonlySet<number>;
}

const QUEUE = columns('connections', ['id', 'slug', 'timezone', 'queue_slots', 'queue_paused']);

const queuesStatement = (name: string, lock: string) =>
  statement(name, {
    parameters: { ids: 'uuid[]' },
    result: QUEUE.types,
    sql: ({ ids }) => `select ${QUEUE.sql} from connections where id = any(${ids}) order by id ${lock}`,
  });

const selectQueues = queuesStatement('read queues', '');
const selectQueuesLocked = queuesStatement('lock queues', 'for no key update');

// A process whose clock is ahead may already have sent the post of a slot that is upcoming here. Each part has an index.
const selectTaken = statement('find taken slots', {
  parameters: { connectionIds: 'uuid[]', now: 'timestamptz' },
  result: { connection_id: 'uuid', slot_at: 'timestamptz' },
  sql: ({ connectionIds, now }) => `
    select connection_id, slot_at from posts
    where connection_id = any(${connectionIds}) and status = 'scheduled' and slot_at > ${now}
    union all
    select connection_id, slot_at from posts
    where connection_id = any(${connectionIds}) and status = 'processing' and slot_at > ${now}
    union all
    select connection_id, slot_at from posts
    where connection_id = any(${connectionIds}) and mode in ('live', 'test') and sent_at > ${now} and slot_at > ${now}`,
});

/** Reads the queues of connections, by connection id. Do not take slots from the result without {@link lockQueues}. */
export async function readQueues(
  em: SqlEntityManager,
  connectionIds: readonly string[],
  now: Date,
): Promise<Map<string, Queue>> {
  return load(em, connectionIds, now, selectQueues);
}

/** As {@link readQueues}, with a lock: no other transaction can take slots of these queues until this one ends. */
export async function lockQueues(
  em: SqlEntityManager,
  connectionIds: readonly string[],
  now: Date,
): Promise<Map<string, Queue>> {
  return load(em, connectionIds, now, selectQueuesLocked);
}

async function load(
  em: SqlEntityManager,
  connectionIds: readonly string[],
  now: Date,
  select: typeof selectQueues,
): Promise<Map<string, Queue>> {
  const rows = await select(em, { ids: connectionIds });
  const taken = await readTakenSlots(em, connectionIds, now);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        connectionId: row.id,
        slug: row.slug,
        timezone: row.timezone,
        slots: row.queue_slots,
        paused: row.queue_paused,
        taken: taken.get(row.id) ?? new Set(),
      },
    ]),
  );
}

/**
 * Instants of upcoming slots that posts hold, in milliseconds, by connection; a connection without such posts has none.
 */
export async function readTakenSlots(
  em: SqlEntityManager,
  connectionIds: readonly string[],
  now: Date,
): Promise<Map<string, Set<number>>> {
  const held = await selectTaken(em, { connectionIds, now });
  const byConnection = Map.groupBy(held, (row) => row.connection_id);
  return new Map(
    [...byConnection].map(([id, posts]) => [id, new Set(posts.map((post) => new Date(post.slot_at).getTime()))]),
  );
}

/** Why a post must not take a slot; null when it may. */
export type SlotRule = (slot: Date) => ItemError | null;

const ANY_SLOT: SlotRule = () => null;

/** The next free slot later than `now` and within the scheduling horizon; null when there is none. */
export function nextFreeSlot(
  queue: Pick<Queue, 'slots' | 'timezone' | 'taken'>,
  now: Date,
  rule: SlotRule = ANY_SLOT,
): Date | null {
  const until = new Date(now.getTime() + HORIZON_MS);
  for (const slot of slotTimes(queue.slots, queue.timezone, now, until)) {
    if (!queue.taken.has(slot.getTime()) && rule(slot) === null) return slot;
  }
  return null;
}

/** As {@link nextFreeSlot}, with the error when there is none: that of the rule, if a slot is free. */
export function slotFor(queue: Queue, now: Date, rule: SlotRule = ANY_SLOT): Date | ItemError {
  const slot = nextFreeSlot(queue, now, rule);
  if (slot !== null) return slot;
  const free = nextFreeSlot(queue, now);
  return (free === null ? null : rule(free)) ?? noSlot(queue);
}

/**
 * Takes the next free slot of a connection, in the caller's transaction, which stores the post that holds it.
 *
 * @param rule which slots the post may take
 * @returns the slot, or queue_empty, queue_full or the error of the rule
 */
export async function takeFreeSlot(
  em: SqlEntityManager,
  connectionId: string,
  now: Date,
  rule: SlotRule = ANY_SLOT,
): Promise<Date | ItemError> {
  const queue = (await lockQueues(em, [connectionId], now)).get(connectionId);
  if (queue === undefined) throw new Error(`connection ${connectionId} is gone`);
  return slotFor(queue, now, rule);
}

/** The queue with one more slot taken. */
export function withTaken(queue: Queue, slot: Date): Queue {
  return { ...queue, taken: new Set([...queue.taken, slot.getTime()]) };
}

/** The error of a queue without a free slot. */
export function noSlot(queue: Queue): ItemError {
  if (queue.slots.length === 0) {
    return {
      code: 'queue_empty',
      message: `The connection "${queue.slug}" has no queue slots; set some, or give scheduledFor.`,
    };
  }
  return {
    code: 'queue_full',
    message: `Every slot of the connection "${queue.slug}" in the next 30 days is taken; add slots, or give scheduledFor.`,
  };
}
