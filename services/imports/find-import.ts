/** The one place that defines which imports a caller sees and manages: those of its account, profile and mode. */
import type { FilterQuery } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Import } from '../../entities/import.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';

export function reachableImports(caller: Caller): FilterQuery<Import> {
  return {
    accountId: caller.accountId,
    ...(caller.profileId === null ? {} : { profileId: caller.profileId }),
    ...(caller.mode === 'test' ? { mode: 'test' } : {}),
  };
}

/** @throws ServiceError not_found for an unknown or foreign import */
export async function findImport(em: SqlEntityManager, caller: Caller, importId: string): Promise<Import> {
  const one = await em.findOne(Import, { ...Object(reachableImports(caller)), id: importId });
  if (one === null) throw noImport(importId);
  return one;
}

export function noImport(importId: string): ServiceError {
  return new ServiceError('not_found', `No import of yours has the id ${importId}.`);
}
