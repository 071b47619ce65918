/**
 * Stores an import with its rows, for a worker to carry out (docs/contract/import-export.md#imports). The same file
 * continues its import, and creates nothing twice.
 */
import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Surface } from '../../entities/audit-entry.ts';
import { Import, type IMPORT_FORMATS } from '../../entities/import.ts';
import { ImportRow } from '../../entities/import-row.ts';
import { tables } from '../../entities/tables.ts';
import type { JsonObject } from '../../platforms/contract.ts';
import type { ItemError } from '../../errors/item-error.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import { holdMaker } from '../access/maker.ts';
import type { Context } from '../context.ts';
import { bodyHash } from '../idempotency/body-hash.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import type { ImportPost } from './import-post.ts';
import { importView, type ImportView } from './import-view.ts';
import { storedCaller } from '../access/stored-caller.ts';

/** Most imports of an account that run at a time. */
const RUNNING_MAX = 10;

/** A row of the file: the post that it asks for, or why it cannot be read. */
export type ReadRow = { readonly post: ImportPost } | { readonly error: ItemError };

export interface NewImport {
  readonly name: string | null;
  readonly format: (typeof IMPORT_FORMATS)[number];
  readonly dryRun: boolean;
  readonly rows: readonly ReadRow[];
  readonly surface: Surface;
}

/** @throws ServiceError limit_exceeded, unauthorized when the caller's key or grant was revoked meanwhile */
export async function startImport(context: Context, caller: Caller, request: NewImport): Promise<ImportView> {
  const { accountId, mode, profileId } = caller;
  const { dryRun, rows, format, name, surface } = request;
  const fingerprint = dryRun ? null : bodyHash({ format, rows, mode, profileId });
  const stored = await context.db.em().transactional(async (em: SqlEntityManager) => {
    await holdMaker(em, caller);
    await lockAccount(em, accountId);
    const earlier = fingerprint === null ? null : await findEarlier(em, accountId, fingerprint);
    if (earlier?.status !== 'running') await requireCapacity(em, accountId);
    if (earlier !== null) return goOn(em, earlier, caller, surface);
    const one = em.create(Import, {
      id: context.random.uuid(),
      accountId,
      profileId,
      mode,
      caller: storedCaller(caller),
      surface,
      name,
      format,
      dryRun,
      fingerprint,
      createdAt: context.clock.now(),
    });
    await em.flush();
    await em.insertMany(ImportRow, rowsOf(context, one, rows));
    return one;
  });
  return importView(context, stored);
}

function findEarlier(em: SqlEntityManager, accountId: string, fingerprint: string): Promise<Import | null> {
  return em.findOne(Import, { accountId, fingerprint }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** Tries again what failed, with the rights of the new request. */
async function goOn(em: SqlEntityManager, one: Import, caller: Caller, surface: Surface): Promise<Import> {
  await tables(em)
    .updateTable('import_rows')
    .set(({ eb }) => ({ status: 'pending', error_code: null, error_message: null, tries: eb('tries', '+', 1) }))
    .where('import_id', '=', one.id)
    .where('status', '=', 'failed')
    .where('input', 'is not', null)
    .execute();
  Object.assign(one, { caller: storedCaller(caller), surface });
  if (one.status !== 'running') {
    one.status = 'running';
    one.endedAt = null;
    one.errorMessage = null;
  }
  await em.flush();
  return one;
}

async function requireCapacity(em: SqlEntityManager, accountId: string): Promise<void> {
  const count = await em.count(Import, { accountId, status: 'running' });
  if (count < RUNNING_MAX) return;
  const message = `The account has ${count} running imports; the limit is ${RUNNING_MAX}. Wait for one, or cancel one with POST /imports/{importId}/cancel.`;
  throw new ServiceError('limit_exceeded', message);
}

function rowsOf(context: Context, { id: importId, accountId, mode, profileId }: Import, rows: readonly ReadRow[]) {
  const seen = new Map<string, number>();
  return rows.map((row, index) => {
    const content = bodyHash('post' in row ? row.post : row.error);
    const times = (seen.get(content) ?? 0) + 1;
    seen.set(content, times);
    return {
      id: context.random.uuid(),
      importId,
      accountId,
      number: index + 1,
      // As JSON, which has no undefined fields: the ORM stores those as null, and a time of null is refused later.
      input: 'post' in row ? (JSON.parse(JSON.stringify(row.post)) as JsonObject) : null,
      hash: bodyHash({ content, times, mode, profileId }),
      status: 'post' in row ? ('pending' as const) : ('failed' as const),
      results: [],
      errorCode: 'error' in row ? row.error.code : null,
      errorMessage: 'error' in row ? row.error.message : null,
    };
  });
}
