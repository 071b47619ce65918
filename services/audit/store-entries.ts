/** Writes audit entries, many in one statement: before a change without an outcome, or after it with one. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Surface } from '../../entities/audit-entry.ts';
import { query } from '../../entities/query.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import type { Context } from '../context.ts';
import type { Actor } from '../keys/caller.ts';

/** What a change was about. Lower-case UUIDs, at most {@link OBJECTS_MAX}. */
export interface AuditObject {
  /** Singular, in snake case: `post`, `connect_session`. */
  readonly type: string;
  readonly ids: readonly string[];
}

/** Ids that one entry holds: a post goes to at most so many connections. */
export const OBJECTS_MAX = 100;

export type AuditOutcome = 'ok' | ErrorCode;

/** A change that somebody asked for. */
export interface Change {
  readonly accountId: string;
  readonly actor: Actor;
  readonly surface: Surface;
  /** Name in the router, or what a page did, e.g. `posts.create`, `owner.signIn`. */
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
  /** Null while it is under way. */
  readonly outcome: AuditOutcome | null;
}

/**
 * What a statement of its own may read beside its rows, so that its commit does not wait for the disk. The database
 * writes one log in order: a change that follows waits for the disk, and takes its entry along.
 */
export const NO_WAIT = `(select set_config('synchronous_commit', 'off', true)) as no_wait, `;

// A batch whose answer was lost is written again, entry by entry.
const storeSql = (beside: string) => `
  insert into audit_entries (id, account_id, at, actor_kind, actor_id, actor_name, surface, operation, object_type,
    object_ids, outcome, mode, profile_id, request_id)
  select id, "accountId", at, "actorKind", "actorId", "actorName", surface, operation, "objectType", "objectIds",
    outcome, mode, "profileId", "requestId"
  from ${beside}jsonb_to_recordset($1::jsonb) as i(
    id uuid, "accountId" uuid, at timestamptz, "actorKind" text, "actorId" text, "actorName" text, surface text,
    operation text, "objectType" text, "objectIds" uuid[], outcome text, mode text, "profileId" uuid, "requestId" text)
  on conflict (id) do nothing`;
const STORE = storeSql('');
const STORE_WITHOUT_WAIT = storeSql(NO_WAIT);

/** Gives a change its place in the audit. */
export function newEntry(context: Context, change: Change, outcome: AuditOutcome | null): NewEntry {
  return { ...change, id: context.random.uuid(), at: context.clock.now(), outcome };
}

/** Entries of changes that are over, in the transaction of whoever asks. */
export async function storeEntries(em: SqlEntityManager, entries: readonly NewEntry[]): Promise<void> {
  await query(em, STORE, [rowsOf(entries)]);
}

/** Entries of changes that have not begun; not for a transaction, which would not wait for the disk either. */
export async function storeIntents(context: Context, entries: readonly NewEntry[]): Promise<void> {
  await query(context.db.em(), STORE_WITHOUT_WAIT, [rowsOf(entries)]);
}

function rowsOf(entries: readonly NewEntry[]): string {
  const rows = entries.map(({ actor, object, ...entry }) => ({
    ...entry,
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    objectType: object?.type ?? null,
    objectIds: object?.ids.slice(0, OBJECTS_MAX) ?? [],
  }));
  return JSON.stringify(rows);
}
