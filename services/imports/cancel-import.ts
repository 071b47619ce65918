/** Cancels an import: no further row is begun, and what was created stays. */
import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Import } from '../../entities/import.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { noImport, reachableImports } from './find-import.ts';
import { importView, type ImportView } from './import-view.ts';

/**
 * Changes nothing about an import that has ended.
 *
 * @throws ServiceError not_found for an unknown or foreign import
 */
export async function cancelImport(context: Context, caller: Caller, importId: string): Promise<ImportView> {
  const cancelled = await context.db.em().transactional(async (em: SqlEntityManager) => {
    const where = { ...Object(reachableImports(caller)), id: importId };
    const one = await em.findOne(Import, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (one === null) throw noImport(importId);
    if (one.status === 'running') Object.assign(one, { status: 'cancelled', endedAt: context.clock.now() });
    await em.flush();
    return one;
  });
  return importView(context, cancelled);
}
