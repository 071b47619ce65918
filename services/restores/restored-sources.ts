/**
 * What feeds and imports do after a restore: they wait while posts are held, because the backup does not hold what they made
 * after it (docs/decisions/0086-hold-due-posts-after-a-restore.md).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { DatabaseRestored, isHeld, type WithRestoreWatch } from './restore-watch.ts';

const MESSAGE =
  'A backup was restored that may be older than the posts of this row: look for them before sending the file again, which runs the row again.';

/** The feeds and imports that wait for the decision of the operator. */
export interface WaitingSources {
  readonly feeds: number;
  readonly imports: number;
}

const countSources = statement('count the feeds and imports that wait after a restore', {
  result: { feeds: 'int', imports: 'int' },
  sql: () => `
    select (select count(*)::int from feeds where disabled_at is null) as feeds,
      (select count(*)::int from imports where status = 'running') as imports`,
});

// As if a feed had its address since the restore was noticed: its next poll also passes over the items whose dates do not
// tell. The drafts of a feed are made again, because a person publishes them.
const passItems = statement('pass over the items that went out before a restore', {
  sql: () => `
    update feeds f set items_since = d.held_until, last_ok_at = null from database_marks d
    where f.delivery = 'queue' and coalesce(f.items_since, f.created_at) < d.held_until`,
});

// A post with a later time has not gone out, and the restore has lost it. One whose time has passed is refused as usual.
const failRows = statement('fail the rows that were run before a restore', {
  parameters: { message: 'text' },
  sql: ({ message }) => `
    update import_rows r set status = 'failed', error_code = 'outcome_unknown', error_message = ${message}
    from imports i, database_marks d
    where i.id = r.import_id and i.status = 'running' and not i.dry_run and i.created_at <= d.held_until
      and r.status = 'pending' and r.input ->> 'scheduledFor' is null and r.input ->> 'isDraft' is distinct from 'true'`,
});

/** Whether feeds and imports wait. */
export async function areSourcesHeld({ restores }: WithRestoreWatch): Promise<boolean> {
  return isHeld((await restores.check()).heldUntil);
}

/** As {@link areSourcesHeld}, as this process last read it. */
export function wereSourcesHeld({ restores }: WithRestoreWatch): boolean {
  return isHeld(restores.hold.heldUntil);
}

/**
 * Keeps what a feed or an import makes from being stored after a restore, in the transaction that stores it.
 *
 * @throws DatabaseRestored
 */
export async function requireNoHold({ restores }: WithRestoreWatch, em: SqlEntityManager): Promise<void> {
  if (isHeld(await restores.confirm(em))) throw new DatabaseRestored('feeds and imports wait after a restore');
}

export async function countWaitingSources(context: Context & WithRestoreWatch): Promise<WaitingSources> {
  const [row] = wereSourcesHeld(context) ? await countSources(context.db.queries) : [];
  return row ?? { feeds: 0, imports: 0 };
}

/** Leaves out, in the transaction of the decision, what feeds and imports may have sent after the backup was made. */
export async function leaveOutSent(em: SqlEntityManager): Promise<void> {
  await passItems(em);
  await failRows(em, { message: MESSAGE });
}
