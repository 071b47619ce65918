/**
 * Changes the queue of a connection: its slots, their time zone, and whether it is paused. Queued posts keep their
 * times, except those that became overdue during a pause. Resuming moves each of these to the next free slot and emits
 * post.rescheduled (docs/contract/scheduling.md#paused-queues, docs/contract/scheduling.md#slots).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { QueueSlot } from '../../entities/connection.ts';
import { statement } from '../../entities/statement.ts';
import { slotsInOrder } from './connection-view.ts';
import { lockConnection } from './lock-connection.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import type { WithRestoreWatch } from '../restores/restore-watch.ts';
import { isSupervised } from '../access/limits.ts';
import { WAITING, WAITING_TYPES, type WaitingRow } from '../scheduling/move-waiting.ts';
import { moveToFreeSlots } from '../scheduling/move-to-free-slots.ts';
import { readQueues } from '../scheduling/slots.ts';
import { refuseStopped } from '../stops/find-stop.ts';

export interface QueueChanges {
  /** Replaces all slots. */
  readonly slots?: QueueSlot[] | undefined;
  readonly timezone?: string | undefined;
  readonly paused?: boolean | undefined;
}

export interface QueueSettings {
  id: string;
  slug: string;
  timezone: string;
  queueSlots: QueueSlot[];
  paused: boolean;
}

// Besides the overdue posts those that a worker held by a later time than `now`: the clock was set back since, or the worker read
// it after this process. No worker looks at a held post again. Locked in the order of ids, as by a stop.
const lockKept = statement('lock overdue and held posts of a queue', {
  parameters: { connectionId: 'uuid', now: 'timestamptz', heldUntil: 'timestamptz' },
  result: WAITING_TYPES,
  sql: ({ connectionId, now, heldUntil }) => `
    with kept as (
      select ${WAITING} from posts p
      where p.connection_id = ${connectionId} and p.status = 'scheduled' and p.queued and p.stop_id is null
        and (p.held or (p.scheduled_for <= ${now} and p.scheduled_for > ${heldUntil}))
      order by p.id for update of p
    )
    select * from kept order by scheduled_for, id`,
});

const clearHeld = statement('clear the hold of queued posts', {
  parameters: { ids: 'uuid[]' },
  sql: ({ ids }) => `update posts set held = false where id = any(${ids})`,
});

/** @throws ServiceError not_found, forbidden (for more than a pause, where approval is required), stopped (for resuming) */
export async function updateQueue(
  context: Context & WithRestoreWatch,
  caller: Caller,
  connectionId: string,
  changes: QueueChanges,
): Promise<QueueSettings> {
  const pausesOnly = Object.entries(changes).every(
    ([name, value]) => value === undefined || (name === 'paused' && value),
  );
  if (isSupervised(caller) && !pausesOnly) {
    throw new ServiceError(
      'forbidden',
      'Posts of this key or agent need approval or follow a policy, so it can pause a queue, but neither resume it nor change its slots.',
    );
  }
  // A restore that no worker has noticed yet holds posts first.
  if (changes.paused === false) await context.restores.check();
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const connection = await lockConnection(em, caller, connectionId);
    const resumes = connection.queuePaused && changes.paused === false;
    connection.queueSlots = changes.slots ?? connection.queueSlots;
    connection.timezone = changes.timezone ?? connection.timezone;
    connection.queuePaused = changes.paused ?? connection.queuePaused;
    await em.flush();
    if (resumes) await resume(context, em, caller, connectionId);
    return {
      id: connection.id,
      slug: connection.slug,
      timezone: connection.timezone,
      queueSlots: slotsInOrder(connection.queueSlots),
      paused: connection.queuePaused,
    };
  });
}

/**
 * Moves what is overdue. What is held and not overdue goes out at its time, or waits for the operator after a restore: it may
 * have gone out after the backup was made, and is a late post once it is released.
 */
async function resume(
  context: Context & WithRestoreWatch,
  em: SqlEntityManager,
  caller: Caller,
  connectionId: string,
): Promise<void> {
  const now = context.clock.now();
  const heldUntil = await context.restores.confirm(em);
  const kept = await lockKept(em, { connectionId, now, heldUntil });
  await refuseStopped(em, caller);
  const isOverdue = ({ scheduled_for: time }: WaitingRow) => {
    const at = new Date(time ?? 0);
    return at <= now && at > heldUntil;
  };
  const others = kept.filter((row) => !isOverdue(row)).map(({ id }) => id);
  if (others.length > 0) await clearHeld(em, { ids: others });
  const queue = (await readQueues(em, [connectionId], now)).get(connectionId);
  if (queue !== undefined) await moveToFreeSlots(context, em, queue, kept.filter(isOverdue));
}
