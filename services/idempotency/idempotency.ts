/**
 * Idempotency-Key: the first request's answer is stored for 24 hours and replayed
 * (docs/contract/posts.md#immediate-posts, docs/contract/posts.md#idempotency, docs/contract/posts.md#what-is-stored).
 * The record is inserted in the transaction that stores the posts. If a request dies part-way, its answer is built from
 * the outcome of its posts, and nothing is sent a second time.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { type PostRow, POST_COLUMNS } from '../posts/post-view.ts';
import { type PostResult, storedResult } from '../posts/post-result.ts';
import { mayReplay } from './may-replay.ts';

/** How long an answer is kept: 24 hours, in milliseconds. */
const KEPT_MS = 24 * 3_600_000;

/** A request with an Idempotency-Key. */
export interface KeyedRequest {
  /** 1 to 255 characters. */
  readonly key: string;
  /** The operation of the request; the same key on another operation is a conflict. */
  readonly operation: string;
  /** Hash of the body as sent. */
  readonly hash: string;
}

/** A result whose post was still being sent when the record was inserted. */
export type KeptResult = PostResult | { readonly pending: string };

interface RecordRow {
  id: string;
  operation: string;
  body_hash: string;
  response: { results: KeptResult[] };
  completed_at: string | null;
  mode: 'live' | 'test' | null;
  profile_id: string | null;
}

const FIND = `
  select id, operation, body_hash, response, completed_at, mode, profile_id from idempotency_records
  where account_id = $1 and key = $2 and expires_at > $3`;

// Replaces an expired record; if the record is still valid, inserts nothing.
const BEGIN = `
  insert into idempotency_records as r
    (id, account_id, key, operation, body_hash, response, created_at, expires_at, mode, profile_id)
  values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9, $10)
  on conflict (account_id, key) do update
    set id = excluded.id, operation = excluded.operation, body_hash = excluded.body_hash, response = excluded.response,
      completed_at = null, created_at = excluded.created_at, expires_at = excluded.expires_at, mode = excluded.mode,
      profile_id = excluded.profile_id
    where r.expires_at <= excluded.created_at
  returning id`;

const COMPLETE = 'update idempotency_records set response = $2::jsonb, completed_at = $3 where id = $1';

/**
 * The stored answer, or null for the first request with this key.
 *
 * @throws ServiceError idempotency_key_conflict for another body or operation, for an answer that the caller does not
 *   reach (docs/contract/posts.md#idempotency-across-keys), or while the first request runs; only the last can be
 *   retried (docs/contract/errors-and-limits.md#retryable-errors)
 */
export async function replay(context: Context, caller: Caller, request: KeyedRequest): Promise<PostResult[] | null> {
  const parameters = [caller.accountId, request.key, context.clock.now()];
  const [record] = await query<RecordRow>(context.db.em(), FIND, parameters);
  if (record === undefined) return null;
  if (!(await mayReplay(context, caller, earlierOf(record)))) throw usedElsewhere(request.key);
  if (record.operation !== request.operation || record.body_hash !== request.hash) {
    throw new ServiceError(
      'idempotency_key_conflict',
      `The Idempotency-Key "${request.key}" was used before with another body or on another endpoint; use a new key for a new request.`,
      { retryable: false },
    );
  }
  if (record.completed_at !== null) return record.response.results as PostResult[];
  return finish(context, record, request.key);
}

function earlierOf({ mode, profile_id: profileId, response }: RecordRow) {
  const postIds = response.results.flatMap((result) => ('pending' in result ? result.pending : (result.postId ?? [])));
  return { mode, profileId, postIds };
}

/** The same error for every body, so that it reveals nothing of the other request except that it exists. */
function usedElsewhere(key: string): ServiceError {
  const message = `Another API key or agent of this account used the Idempotency-Key "${key}" for posts that yours does not reach; use a new key.`;
  return new ServiceError('idempotency_key_conflict', message, { retryable: false });
}

/** Thrown inside the transaction to roll it back when another request with the same key committed first. */
class KeyTaken extends Error {
  override name = 'KeyTaken';
}

/**
 * Stores posts and, for a request with a key, its record: both or neither.
 *
 * @param recordId null for a request without a key
 * @param store stores the posts and returns their results so far; for a request without a key it gets no transaction
 * @returns the result of `store`; null when another request with the key committed first, and then nothing is stored
 */
export async function storeOnce(
  context: Context,
  caller: Caller,
  keyed: KeyedRequest | null,
  recordId: string | null,
  store: (em: SqlEntityManager) => Promise<readonly KeptResult[]>,
): Promise<readonly KeptResult[] | null> {
  if (keyed === null || recordId === null) return store(context.db.em());
  const { key, operation, hash } = keyed;
  try {
    return await context.db.em().transactional(async (em: SqlEntityManager) => {
      const results = await store(em);
      const now = context.clock.now();
      const expiresAt = new Date(now.getTime() + KEPT_MS);
      const response = JSON.stringify({ results });
      const { accountId, mode, profileId } = caller;
      const parameters = [recordId, accountId, key, operation, hash, response, now, expiresAt, mode, profileId];
      if ((await query(em, BEGIN, parameters)).length === 0) throw new KeyTaken();
      return results;
    });
  } catch (error) {
    if (error instanceof KeyTaken) return null;
    throw error;
  }
}

/** Stores the complete answer. */
export async function complete(context: Context, recordId: string, results: readonly PostResult[]): Promise<void> {
  await query(context.db.em(), COMPLETE, [recordId, JSON.stringify({ results }), context.clock.now()]);
}

/** Builds the answer from the outcome of the posts, once none of them is being sent. */
async function finish(context: Context, record: RecordRow, key: string): Promise<PostResult[]> {
  const pending = record.response.results.flatMap((result) => ('pending' in result ? [result.pending] : []));
  const sql = `select ${POST_COLUMNS} from posts where id = any($1::uuid[])`;
  const rows = await query<PostRow>(context.db.em(), sql, [pending]);
  const results = record.response.results.map((result) => {
    if (!('pending' in result)) return result;
    const row = rows.find(({ id }) => id === result.pending);
    return row === undefined ? null : storedResult(row);
  });
  if (results.includes(null)) {
    throw new ServiceError(
      'idempotency_key_conflict',
      `The first request with the Idempotency-Key "${key}" is still running; send it again in a few seconds for its answer.`,
      { retryable: true },
    );
  }
  await complete(context, record.id, results as PostResult[]);
  return results as PostResult[];
}
