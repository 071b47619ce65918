/** Lists the audit of an account, newest first, a page at a time. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { type SelectQueryBuilder, sql } from 'kysely';
import { ownerOfList } from '../../entities/any-of.ts';
import { type Schema, type Tables, tables } from '../../entities/tables.ts';
import type { Surface } from '../../entities/audit-entry.ts';
import type { Context } from '../context.ts';
import { earliestId } from '../ids.ts';
import type { Actor, Caller } from '../access/caller.ts';
import { pageOf } from '../paging.ts';
import { timestamp } from '../timestamp.ts';
import { type AuditObject, type AuditOutcome, ENTRY_COLUMNS } from './store-entries.ts';

/** Values of the outcome filter; `none` selects entries without an outcome, or without one yet. */
export type OutcomeFilter = AuditOutcome | 'none';

export interface AuditFilter {
  readonly actorKind?: Actor['kind'] | undefined;
  readonly actorId?: string | undefined;
  readonly operation?: string | undefined;
  readonly objectId?: string | undefined;
  readonly outcome?: OutcomeFilter | undefined;
  /** Includes this instant. */
  readonly since?: Date | undefined;
  /** Excludes this instant. */
  readonly until?: Date | undefined;
  /** 1 to 100. */
  readonly limit: number;
  /** Id of an entry; the page starts after it, with older ones. */
  readonly startingAfter?: string | undefined;
}

export interface AuditEntryView {
  id: string;
  at: string;
  actor: Actor;
  surface: Surface;
  operation: string;
  object: { type: string; ids: string[] } | null;
  outcome: AuditOutcome | null;
  mode: 'live' | 'test';
  profileId: string | null;
  requestId: string | null;
}

type EntryRow = Pick<Tables['audit_entries'], (typeof ENTRY_COLUMNS)[number]>;

/** The query of one page; it selects one row more than the page shows. */
export function auditQuery(
  em: SqlEntityManager,
  accountId: string,
  filter: AuditFilter,
): SelectQueryBuilder<Schema, 'audit_entries', EntryRow> {
  const { actorKind, actorId, operation, objectId, outcome, since, until, startingAfter, limit } = filter;
  let query = tables(em)
    .selectFrom('audit_entries')
    .select(ENTRY_COLUMNS)
    .where('account_id', '=', ownerOfList(accountId));
  // These two values are part of the SQL text: PostgreSQL uses their partial indexes only then.
  if (actorKind !== undefined) query = query.where('actor_kind', '=', sql.lit(actorKind));
  if (outcome === 'none') query = query.where('outcome', 'is', null);
  else if (outcome !== undefined) query = query.where('outcome', '=', sql.lit(outcome));
  if (actorId !== undefined) query = query.where('actor_id', '=', actorId);
  if (operation !== undefined) query = query.where('operation', '=', operation);
  if (objectId !== undefined) query = query.where('object_ids', '@>', ({ val }) => val([objectId]));
  // Ids contain the instant at which they were made.
  if (since !== undefined) query = query.where('id', '>=', earliestId(since));
  if (until !== undefined) query = query.where('id', '<', earliestId(until));
  if (startingAfter !== undefined) query = query.where('id', '<', startingAfter);
  return query
    .orderBy('account_id', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
}

export async function listAudit(
  context: Context,
  caller: Caller,
  filter: AuditFilter,
): Promise<{ entries: AuditEntryView[]; nextCursor: string | null }> {
  const rows = await auditQuery(context.db.em(), caller.accountId, filter).execute();
  const { items, nextCursor } = pageOf(rows, filter.limit);
  return { entries: items.map(entryView), nextCursor };
}

export function entryView(row: EntryRow): AuditEntryView {
  const object: (AuditObject & { ids: string[] }) | null =
    row.object_type === null ? null : { type: row.object_type, ids: row.object_ids };
  return {
    id: row.id,
    at: timestamp(row.at),
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    surface: row.surface,
    operation: row.operation,
    object,
    outcome: row.outcome as AuditOutcome | null,
    mode: row.mode,
    profileId: row.profile_id,
    requestId: row.request_id,
  };
}
