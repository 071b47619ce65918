/**
 * Idempotency-Key: the first request's answer is stored for 24 hours and replayed
 * (docs/contract/posts.md#idempotency, docs/contract/posts.md#what-is-stored). The record is inserted in the transaction
 * that stores what the request creates.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { columns } from '../../entities/column-lists.ts';
import { typed } from '../../entities/sql-types.ts';
import { type RowOf, statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';

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

const RECORD = columns('idempotency_records', [
  'id',
  'operation',
  'body_hash',
  'response',
  'completed_at',
  'mode',
  'profile_id',
]);

const selectRecord = statement('find the record of an Idempotency-Key', {
  parameters: { accountId: 'uuid', key: 'text', now: 'timestamptz' },
  result: RECORD.types,
  sql: ({ accountId, key, now }) => `
    select ${RECORD.sql} from idempotency_records
    where account_id = ${accountId} and key = ${key} and expires_at > ${now}`,
});

/** The record of an earlier request. `Result` is what it stored for each post: a result, or a reference to its post. */
export type StoredRequest<Result> = Omit<RowOf<typeof selectRecord>, 'response'> & {
  readonly response: { readonly results: readonly Result[] };
};

// Replaces an expired record; if the record is still valid, inserts nothing.
const insertRecord = statement('insert the record of an Idempotency-Key', {
  parameters: {
    id: 'uuid',
    accountId: 'uuid',
    key: 'text',
    operation: 'text',
    hash: 'text',
    response: typed<{ results: readonly unknown[] }>('jsonb'),
    now: 'timestamptz',
    expiresAt: 'timestamptz',
    mode: 'text',
    profileId: 'uuid?',
  },
  result: { id: 'uuid' },
  sql: ({ id, accountId, key, operation, hash, response, now, expiresAt, mode, profileId }) => `
    insert into idempotency_records as r
      (id, account_id, key, operation, body_hash, response, created_at, expires_at, mode, profile_id)
    values (${id}, ${accountId}, ${key}, ${operation}, ${hash}, ${response}, ${now}, ${expiresAt}, ${mode}, ${profileId})
    on conflict (account_id, key) do update
      set id = excluded.id, operation = excluded.operation, body_hash = excluded.body_hash,
        response = excluded.response, completed_at = null, created_at = excluded.created_at,
        expires_at = excluded.expires_at, mode = excluded.mode, profile_id = excluded.profile_id
      where r.expires_at <= excluded.created_at
    returning id`,
});

/** The record of the account's request with this key; undefined for the first one. */
export async function findRequest<Result>(
  context: Context,
  { accountId }: Caller,
  key: string,
): Promise<StoredRequest<Result> | undefined> {
  const [record] = await selectRecord(context.db.queries, { accountId, key, now: context.clock.now() });
  return record as StoredRequest<Result> | undefined;
}

/** Thrown inside the transaction to roll it back when another request with the same key committed first. */
class KeyTaken extends Error {
  override name = 'KeyTaken';
}

/** What a request has stored; `recordId` is null for a request without a key. */
export interface StoredOnce<Item> {
  readonly items: readonly Item[];
  readonly recordId: string | null;
}

/**
 * Stores what a request creates and, for a request with a key, its record: both or neither.
 *
 * @param store stores the items; for a request without a key it gets no transaction and no record
 * @param kept what the record keeps of an item until the answer is complete
 * @returns null when another request with the key committed first, and then nothing is stored
 * @throws ServiceError what `store` throws, unless another request with the key committed first: that one may have
 *   caused the refusal, such as by replacing the draft that both name
 */
export async function storeOnce<Item>(
  context: Context,
  caller: Caller,
  keyed: KeyedRequest | null,
  store: (em: SqlEntityManager, recordId: string | null) => Promise<readonly Item[]>,
  kept: (item: Item) => unknown,
): Promise<StoredOnce<Item> | null> {
  if (keyed === null) return { items: await store(context.db.em(), null), recordId: null };
  const recordId = context.random.uuid();
  try {
    return await context.db.em().transactional(async (em: SqlEntityManager) => {
      const items = await store(em, recordId);
      await storeRecord(context, em, caller, keyed, { id: recordId, results: items.map(kept) });
      return { items, recordId };
    });
  } catch (error) {
    if (error instanceof KeyTaken) return null;
    if (error instanceof ServiceError && (await findRequest(context, caller, keyed.key)) !== undefined) return null;
    throw error;
  }
}

async function storeRecord(
  context: Context,
  em: SqlEntityManager,
  { accountId, mode, profileId }: Caller,
  { key, operation, hash }: KeyedRequest,
  { id, results }: { readonly id: string; readonly results: readonly unknown[] },
): Promise<void> {
  const now = context.clock.now();
  const expiresAt = new Date(now.getTime() + KEPT_MS);
  const record = { id, accountId, key, operation, hash, response: { results }, now, expiresAt, mode, profileId };
  if ((await insertRecord(em, record)).length === 0) throw new KeyTaken();
}

/** Stores the complete answer. */
export async function complete(context: Context, recordId: string, results: readonly unknown[]): Promise<void> {
  await tables(context.db.queries)
    .updateTable('idempotency_records')
    .set({ response: JSON.stringify({ results }), completed_at: context.clock.now() })
    .where('id', '=', recordId)
    .execute();
}
