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
import { WAITING, WAITING_TYPES } from '../scheduling/move-waiting.ts';
import { moveToFreeSlots } from '../scheduling/move-to-free-slots.ts';
import { readQueues } from '../scheduling/slots.ts';

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

const lockOverdue = statement('lock overdue posts of a queue', {
  parameters: { connectionId: 'uuid', now: 'timestamptz', heldUntil: 'timestamptz' },
  result: WAITING_TYPES,
  sql: ({ connectionId, now, heldUntil }) => `
    select ${WAITING} from posts p
    where p.connection_id = ${connectionId} and p.status = 'scheduled' and p.queued and p.stop_id is null
      and p.scheduled_for <= ${now} and p.scheduled_for > ${heldUntil}
    order by p.scheduled_for, p.id for update of p`,
});

// They may have gone out after the backup was made. As due posts of a queue that runs, they wait for the operator, and are
// late posts once they are released.
const leaveToRestore = statement('leave overdue posts of a queue to the hold after a restore', {
  parameters: { connectionId: 'uuid', heldUntil: 'timestamptz' },
  sql: ({ connectionId, heldUntil }) => `
    update posts set held = false
    where connection_id = ${connectionId} and status = 'scheduled' and queued and stop_id is null and held
      and scheduled_for <= ${heldUntil}`,
});

/** @throws ServiceError not_found, forbidden (for more than a pause, where approval is required) */
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
    if (resumes) await moveOverdue(context, em, connectionId);
    return {
      id: connection.id,
      slug: connection.slug,
      timezone: connection.timezone,
      queueSlots: slotsInOrder(connection.queueSlots),
      paused: connection.queuePaused,
    };
  });
}

async function moveOverdue(
  context: Context & WithRestoreWatch,
  em: SqlEntityManager,
  connectionId: string,
): Promise<void> {
  const now = context.clock.now();
  const heldUntil = await context.restores.confirm(em);
  const overdue = await lockOverdue(em, { connectionId, now, heldUntil });
  if (heldUntil.getTime() > 0) await leaveToRestore(em, { connectionId, heldUntil });
  const queue = (await readQueues(em, [connectionId], now)).get(connectionId);
  if (queue !== undefined) await moveToFreeSlots(context, em, queue, overdue);
}
