/** Lists the audit of an account, newest first, a page at a time. */
import { query } from '../../entities/query.ts';
import type { Surface } from '../../entities/audit-entry.ts';
import type { Context } from '../context.ts';
import { earliestId } from '../ids.ts';
import type { Actor, Caller } from '../keys/caller.ts';
import { pageOf } from '../paging.ts';
import { timestamp } from '../timestamp.ts';
import type { AuditObject, AuditOutcome } from './store-entries.ts';

/** Values of the outcome filter; `none` selects entries without an outcome, or without one yet. */
export type OutcomeFilter = AuditOutcome | 'none';

export interface AuditFilter {
  readonly actorKind?: Actor['kind'] | undefined;
  readonly actorId?: string | undefined;
  readonly operation?: string | undefined;
  readonly objectId?: string | undefined;
  readonly outcome?: OutcomeFilter | undefined;
  /** Includes this instant. */
  readonly since?: string | undefined;
  /** Excludes this instant. */
  readonly until?: string | undefined;
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

interface EntryRow {
  id: string;
  at: string;
  actor_kind: Actor['kind'];
  actor_id: string;
  actor_name: string;
  surface: Surface;
  operation: string;
  object_type: string | null;
  object_ids: string[];
  outcome: AuditOutcome | null;
  mode: 'live' | 'test';
  profile_id: string | null;
  request_id: string | null;
}

const COLUMNS = `id, at, actor_kind, actor_id, actor_name, surface, operation, object_type, to_jsonb(object_ids) as object_ids,
  outcome, mode, profile_id, request_id`;

/** The query of one page; it selects one row more than the page shows. */
export function auditQuery(accountId: string, filter: AuditFilter): { sql: string; parameters: unknown[] } {
  const parameters: unknown[] = [accountId, filter.limit + 1];
  const where = ['account_id = $1'];
  const narrow = (condition: (parameter: string) => string, value: unknown) => {
    if (value !== undefined) where.push(condition(`$${parameters.push(value)}`));
  };
  const { actorKind, outcome, since, until } = filter;
  // These two literals are part of the SQL text: PostgreSQL uses their partial indexes only then.
  if (actorKind !== undefined) where.push(`actor_kind = '${actorKind}'`);
  if (outcome !== undefined) where.push(outcome === 'none' ? 'outcome is null' : `outcome = '${outcome}'`);
  narrow((id) => `actor_id = ${id}`, filter.actorId);
  narrow((name) => `operation = ${name}`, filter.operation);
  narrow((id) => `object_ids @> array[${id}::uuid]`, filter.objectId);
  // Ids contain the instant at which they were made.
  narrow((first) => `id >= ${first}`, since === undefined ? undefined : earliestId(new Date(since)));
  narrow((end) => `id < ${end}`, until === undefined ? undefined : earliestId(new Date(until)));
  narrow((last) => `id < ${last}`, filter.startingAfter);
  const sql = `select ${COLUMNS} from audit_entries where ${where.join(' and ')} order by id desc limit $2`;
  return { sql, parameters };
}

export async function listAudit(
  context: Context,
  caller: Caller,
  filter: AuditFilter,
): Promise<{ entries: AuditEntryView[]; nextCursor: string | null }> {
  const { sql, parameters } = auditQuery(caller.accountId, filter);
  const rows = await query<EntryRow>(context.db.em(), sql, parameters);
  const { items, nextCursor } = pageOf(rows, filter.limit);
  return { entries: items.map(entryView), nextCursor };
}

function entryView(row: EntryRow): AuditEntryView {
  const object: (AuditObject & { ids: string[] }) | null =
    row.object_type === null ? null : { type: row.object_type, ids: row.object_ids };
  return {
    id: row.id,
    at: timestamp(row.at),
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    surface: row.surface,
    operation: row.operation,
    object,
    outcome: row.outcome,
    mode: row.mode,
    profileId: row.profile_id,
    requestId: row.request_id,
  };
}
