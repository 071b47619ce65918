/**
 * Creates the posts of one row, or says what would happen. The row is settled in the transaction that stores its posts,
 * so a process that dies before or after it creates nothing twice.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { takeKeyedLock } from '../../entities/advisory-locks.ts';
import { isDatabaseAway } from '../../entities/database-away.ts';
import type { ImportRowStatus } from '../../entities/import-row.ts';
import { tables } from '../../entities/tables.ts';
import { publicError } from '../../errors/error-body.ts';
import type { ItemError } from '../../errors/item-error.ts';
import type { Caller } from '../access/caller.ts';
import { inForce } from '../access/stored-caller.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { bodyHash } from '../idempotency/body-hash.ts';
import { createPosts, type WithCreations } from '../posts/create-posts.ts';
import type { StoredResult } from '../posts/store-and-send.ts';
import { validatePosts } from '../posts/validate-posts.ts';
import { requireNoHold } from '../restores/restored-sources.ts';
import { DatabaseRestored, type WithRestoreWatch } from '../restores/restore-watch.ts';
import { type ImportPost, withFetchedImages, withKnownImages } from './import-post.ts';
import type { RowResult } from './import-view.ts';
import type { ClaimedImport, PendingRow } from './claim-import.ts';

/** Name of the operation in the audit and in the record of the row's key. */
const OPERATION = 'posts.create';

interface Outcome {
  readonly status: ImportRowStatus;
  readonly results: readonly RowResult[];
  readonly error: ItemError | null;
}

/** @throws Error when the database is away or was restored; then the row stays pending */
export async function runRow(
  context: Context & WithCreations & WithRestoreWatch,
  caller: Caller,
  claimed: ClaimedImport,
  row: PendingRow,
): Promise<void> {
  const post = row.input as unknown as ImportPost;
  try {
    if (claimed.dry_run) return await settle(context.db.em(), row.id, await preview(context, caller, post));
    const earlier = await createdBefore(context.db.em(), claimed, row);
    if (earlier !== null) return await settle(context.db.em(), row.id, skipped(earlier));
    await create(context, caller, { claimed, row, post });
  } catch (error) {
    if (error instanceof RowCreated) return settle(context.db.em(), row.id, error.outcome);
    if (isDatabaseAway(error) || error instanceof RowTaken || error instanceof DatabaseRestored) throw error;
    const failure = publicError(error);
    if (failure.code === 'idempotency_key_conflict' && failure.retryable === true) throw error;
    if (failure.code === 'internal_server_error')
      context.log.error({ row: row.id, err: error }, 'a row was not imported');
    const outcome = { code: failure.code, message: failure.message };
    await settle(context.db.em(), row.id, { status: 'failed', results: [], error: outcome });
  }
}

/** Another process settled the row first. */
class RowTaken extends Error {
  override name = 'RowTaken';
}

/** Another import created what the row asks for meanwhile; the posts of this one are rolled back. */
class RowCreated extends Error {
  override name = 'RowCreated';
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super('another import created the row');
    this.outcome = outcome;
  }
}

async function preview(context: Context & WithCreations, caller: Caller, post: ImportPost): Promise<Outcome> {
  const { input, toFetch } = withKnownImages(post);
  const checked = await validatePosts(context, caller, input, toFetch);
  const results = checked.map(({ connectionSlug, ok, error, scheduledFor }): RowResult => {
    const shown = error as ItemError | null;
    return { connectionSlug, status: ok ? 'valid' : 'failed', postId: null, scheduledFor, error: shown };
  });
  const error = results.find((result) => result.error !== null)?.error ?? null;
  return { status: error === null ? 'valid' : 'failed', results, error };
}

/** The row of another import of the past 30 days that asked for the same and created it; null for none. */
async function createdBefore(em: SqlEntityManager, { id, account_id: accountId }: ClaimedImport, { hash }: PendingRow) {
  const found = await tables(em)
    .selectFrom('import_rows')
    .select(['import_id', 'number'])
    .where('account_id', '=', accountId)
    .where('hash', '=', hash)
    .where('status', '=', 'created')
    .where('import_id', '<>', id)
    .limit(1)
    .executeTakeFirst();
  return found ?? null;
}

function skipped({ import_id: importId, number }: { import_id: string; number: number }): Outcome {
  const message = `Row ${number} of the import ${importId} has created it already.`;
  return { status: 'skipped', results: [], error: { code: 'idempotency_key_conflict', message } };
}

interface RowToCreate {
  readonly claimed: ClaimedImport;
  readonly row: PendingRow;
  readonly post: ImportPost;
}

async function create(
  context: Context & WithCreations & WithRestoreWatch,
  sender: Caller,
  { claimed, row, post }: RowToCreate,
) {
  const input = await withFetchedImages(context, sender, post);
  // Images take long to fetch. If the key, agent or role has ended meanwhile, the row stays pending: the import ends with it, or
  // goes on with the rights of who sent the file again.
  const caller = input.media === undefined ? sender : await inForce(context, sender, 'posts:write');
  if (caller === null) return;
  const key = { key: `import ${claimed.id} ${row.number} ${row.tries}`, operation: OPERATION, hash: bodyHash(post) };
  const whenStored = async (em: SqlEntityManager, stored: readonly StoredResult[]) => {
    await requireNoHold(context, em);
    // An import whose lease has run out during a row may store it beside another one.
    await takeKeyedLock(em, 'importRow', `${claimed.account_id} ${row.hash}`);
    const earlier = await createdBefore(em, claimed, row);
    if (earlier !== null) throw new RowCreated(skipped(earlier));
    const outcome = outcomeOf(stored.map(resultOf));
    await settle(em, row.id, outcome);
    const ids = outcome.results.flatMap(({ postId }) => postId ?? []);
    const object = ids.length === 0 ? null : { type: 'post', ids };
    const { accountId, actor, mode } = caller;
    const profileId = caller.profileId ?? post.profileId ?? null;
    const by = { accountId, actor, mode, profileId, surface: row.surface, requestId: null };
    await recordChange(context, { ...by, operation: OPERATION, object, outcome: 'ok' }, em);
  };
  const { results } = await createPosts(context, caller, input, key, { whenStored });
  // Posts that were sent at once have their outcome now.
  const shown = results.map(({ connectionSlug, status, postId, scheduledFor, error }): RowResult => {
    return { connectionSlug, status, postId, scheduledFor, error };
  });
  const outcome = outcomeOf(shown);
  // A row without a post is settled already. If the file was sent again since, it is pending again.
  if (outcome.status === 'created') await store(context.db.em(), row.id, outcome);
}

function resultOf(item: StoredResult): RowResult {
  if ('claim' in item) {
    const { id, connectionSlug } = item.post;
    return { connectionSlug, status: 'processing', postId: id, scheduledFor: null, error: null };
  }
  const { connectionSlug, status, postId, scheduledFor, error } = item;
  return { connectionSlug, status, postId, scheduledFor, error };
}

/** A row with at least one post is created, also when other connections failed. */
function outcomeOf(results: readonly RowResult[]): Outcome {
  const error = results.find((result) => result.error !== null)?.error ?? null;
  const isCreated = results.some(({ postId }) => postId !== null);
  return { status: isCreated ? 'created' : 'failed', results, error: isCreated ? null : error };
}

/** @throws RowTaken when the row is not pending any more */
async function settle(em: SqlEntityManager, rowId: string, outcome: Outcome): Promise<void> {
  const { numUpdatedRows } = await write(em, rowId, outcome).where('status', '=', 'pending').executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new RowTaken(`the row ${rowId} was settled by another process`);
}

async function store(em: SqlEntityManager, rowId: string, outcome: Outcome): Promise<void> {
  await write(em, rowId, outcome).execute();
}

function write(em: SqlEntityManager, rowId: string, { status, results, error }: Outcome) {
  return tables(em)
    .updateTable('import_rows')
    .set({
      status,
      results: JSON.stringify(results),
      error_code: error?.code ?? null,
      error_message: error?.message ?? null,
    })
    .where('id', '=', rowId);
}
