/** Statements that claim, hold and end imports, and take their rows. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { column, columns } from '../../entities/column-lists.ts';
import { type RowOf, statement } from '../../entities/statement.ts';

const CLAIMED = columns('imports', ['id', 'account_id', 'profile_id', 'mode', 'dry_run'], 'i');

/** Running, and the oldest of its account. */
const FIRST = `
  o.status = 'running' and not exists (
    select 1 from imports e where e.account_id = o.account_id and e.status = 'running' and e.id < o.id)`;

/** When no worker carries out a row of another import of the account, also of one that was cancelled meanwhile. */
const OTHER_HELD = `
  select max(e.lease_until) from imports e
  where e.account_id = o.account_id and e.id <> o.id and e.lease is not null`;

export const claimImport = statement('claim an import', {
  parameters: { now: 'timestamptz', until: 'timestamptz', lease: 'uuid' },
  result: CLAIMED.types,
  sql: ({ now, until, lease }) => `
    update imports i set lease = ${lease}, lease_until = ${until}
    where i.id = (select o.id from imports o where ${FIRST} and (o.lease is null or o.lease_until <= ${now})
      and coalesce((${OTHER_HELD}), ${now}) <= ${now}
      order by o.lease_until nulls first, o.id limit 1 for update skip locked)
    returning ${CLAIMED.sql}`,
});

export const nextImport = statement('find when an import can go on', {
  result: { at: 'timestamptz?' },
  sql: () => `
    select min(greatest(case when o.lease is null then o.created_at else o.lease_until end, (${OTHER_HELD}))) as at
    from imports o where ${FIRST}`,
});

const PENDING = columns('import_rows', ['id', 'number', 'input', 'hash', 'tries'], 'r');

/** Who sent the file last, which may have been during the row before. */
const SENDER = columns('imports', ['caller', 'surface'], 'i');

/** The next row of an import that the lease still holds; renews the lease. */
export const nextRow = statement('take the next row of an import', {
  parameters: { id: 'uuid', lease: 'uuid', until: 'timestamptz' },
  result: { ...PENDING.types, ...SENDER.types },
  sql: ({ id, lease, until }) => `
    with held as (update imports i set lease_until = ${until}
      where i.id = ${id} and i.lease = ${lease} and i.status = 'running' returning i.id, ${SENDER.sql})
    select ${PENDING.sql}, held.caller, held.surface from import_rows r join held on held.id = r.import_id
    where r.status = 'pending' order by r.number limit 1`,
});

const lockHeld = statement('lock an import that the lease still holds', {
  parameters: { id: 'uuid', lease: 'uuid' },
  result: { id: 'uuid' },
  sql: ({ id, lease }) => `select id from imports where id = ${id} and lease = ${lease} for update`,
});

const release = statement('release an import', {
  parameters: { id: 'uuid', lease: 'uuid', now: 'timestamptz' },
  sql: ({ id, lease, now }) => `
    update imports i set lease = null, lease_until = ${now},
      status = case when p.is_over then 'done' else i.status end,
      ended_at = case when p.is_over then ${now} else i.ended_at end
    from (select o.status = 'running' and not exists (
        select 1 from import_rows r where r.import_id = ${id} and r.status = 'pending') as is_over
      from imports o where o.id = ${id}) p
    where i.id = ${id} and i.lease = ${lease}`,
});

/**
 * Locks the import with a separate statement. A request that sends the file again makes rows pending under this lock; a
 * statement that waited for it would still count the rows as they were before.
 */
export async function releaseImport(
  em: SqlEntityManager,
  turn: { readonly id: string; readonly lease: string; readonly now: Date },
): Promise<void> {
  const { id, lease } = turn;
  await em.transactional(async (locking: SqlEntityManager) => {
    const held = await lockHeld(locking, { id, lease });
    if (held.length > 0) await release(locking, turn);
  });
}

export const endImport = statement('end an import whose key or agent has ended', {
  parameters: { id: 'uuid', lease: 'uuid', now: 'timestamptz', message: 'text', caller: column('imports', 'caller') },
  // The file may have been sent again meanwhile, by a caller whose rights are in force.
  sql: ({ id, lease, now, message, caller }) => `
    update imports i set status = 'cancelled', ended_at = ${now}, error_message = ${message}, lease = null, lease_until = ${now}
    where i.id = ${id} and i.lease = ${lease} and i.status = 'running' and i.caller = ${caller}`,
});

/** A claimed import. */
export type ClaimedImport = RowOf<typeof claimImport>;
/** A row that is to be created. */
export type PendingRow = RowOf<typeof nextRow>;
