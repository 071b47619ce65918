/** Writes audit entries, many in one statement: before a change without an outcome, or after it with one. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Surface } from '../../entities/audit-entry.ts';
import { column, columns } from '../../entities/column-lists.ts';
import { type RecordOf, records, statement } from '../../entities/statement.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import type { Context } from '../context.ts';
import type { Actor } from '../access/caller.ts';

/** The subjects of a change. Lower-case UUIDs, at most {@link OBJECTS_MAX}. */
export interface AuditObject {
  /** Singular, in snake case: `post`, `connect_session`. */
  readonly type: string;
  readonly ids: readonly string[];
}

/** Most ids in one entry: a post goes to at most this many connections. */
export const OBJECTS_MAX = 100;

export type AuditOutcome = 'ok' | ErrorCode;

/** A requested change. */
export interface Change {
  readonly accountId: string;
  readonly actor: Actor;
  readonly surface: Surface;
  /** Name in the router, or the action of a page, e.g. `posts.create`, `owner.signIn`. */
  readonly operation: string;
  readonly object: AuditObject | null;
  readonly mode: 'live' | 'test';
  /** The profile that the actor is limited to or that the request named. */
  readonly profileId: string | null;
  readonly requestId: string | null;
}

export interface NewEntry extends Change {
  readonly id: string;
  readonly at: Date;
  /** Null while the change is in progress. */
  readonly outcome: AuditOutcome | null;
}

/**
 * FROM item for a statement outside a transaction, so that its commit does not wait for the disk. The database writes
 * one log in order: a later change that waits for the disk also flushes the entry.
 */
export const NO_WAIT = `(select set_config('synchronous_commit', 'off', true)) as no_wait, `;

const NEW_ENTRY = {
  i: records({
    id: 'uuid',
    accountId: 'uuid',
    at: 'timestamptz',
    actorKind: column('audit_entries', 'actor_kind'),
    actorId: 'text',
    actorName: 'text',
    surface: column('audit_entries', 'surface'),
    operation: 'text',
    objectType: 'text?',
    objectIds: 'uuid[]',
    outcome: 'text?',
    mode: column('audit_entries', 'mode'),
    profileId: 'uuid?',
    requestId: 'text?',
  }),
};

/** The columns of an entry besides its account. */
export const ENTRY_COLUMNS = [
  'id',
  'at',
  'actor_kind',
  'actor_id',
  'actor_name',
  'surface',
  'operation',
  'object_type',
  'object_ids',
  'outcome',
  'mode',
  'profile_id',
  'request_id',
] as const;

const INSERTED = columns('audit_entries', ['account_id', ...ENTRY_COLUMNS]);

// A batch whose response was lost is written again, entry by entry.
const insertFrom = (source: string) => `
  insert into audit_entries (${INSERTED.names})
  select "accountId", id, at, "actorKind", "actorId", "actorName", surface, operation, "objectType", "objectIds",
    outcome, mode, "profileId", "requestId"
  from ${source} on conflict (id) do nothing`;

const insertEntries = statement('store audit entries', { parameters: NEW_ENTRY, sql: ({ i }) => insertFrom(i) });

const insertWithoutWait = statement('store audit entries without waiting for the disk', {
  parameters: NEW_ENTRY,
  sql: ({ i }) => insertFrom(`${NO_WAIT}${i}`),
});

/** Builds the audit entry of a change. */
export function newEntry(context: Context, change: Change, outcome: AuditOutcome | null): NewEntry {
  return { ...change, id: context.random.uuid(), at: context.clock.now(), outcome };
}

/** Stores entries of finished changes in the caller's transaction. */
export async function storeEntries(em: SqlEntityManager, entries: readonly NewEntry[]): Promise<void> {
  await insertEntries(em, { i: rowsOf(entries) });
}

/**
 * Stores entries of changes that have not started. Do not call it inside a transaction, whose commit would not wait for
 * the disk either.
 */
export async function storeIntents(context: Context, entries: readonly NewEntry[]): Promise<void> {
  await insertWithoutWait(context.db.queries, { i: rowsOf(entries) });
}

function rowsOf(entries: readonly NewEntry[]): RecordOf<typeof NEW_ENTRY.i>[] {
  return entries.map(({ actor, object, ...entry }) => ({
    ...entry,
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    objectType: object?.type ?? null,
    objectIds: object?.ids.slice(0, OBJECTS_MAX) ?? [],
  }));
}
