/**
 * The key or grant under which a key or webhook is created. It is stored, because limits and revocation derive from it.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from './caller.ts';

/** As the columns of keys and webhooks store it; both null when an owner creates it. */
export interface Maker {
  readonly createdByKeyId: string | null;
  readonly grantId: string | null;
}

export function makerOf({ keyId, actor }: Pick<Caller, 'keyId' | 'actor'>): Maker {
  return {
    createdByKeyId: actor.kind === 'key' ? keyId : null,
    grantId: actor.kind === 'oauth_client' ? keyId : null,
  };
}

/**
 * Keeps the caller's key or grant from being revoked until the transaction ends, so that nothing is created under a
 * revoked one. Lock order: after the profile and before the account.
 *
 * @throws ServiceError unauthorized when it has just been revoked
 */
export async function holdMaker(em: SqlEntityManager, caller: Caller): Promise<Maker> {
  const maker = makerOf(caller);
  const table = maker.createdByKeyId === null ? 'oauth_grants' : 'api_keys';
  const id = maker.createdByKeyId ?? maker.grantId;
  if (id === null) return maker;
  const sql = `select id from ${table} where id = $1 and revoked_at is null for share`;
  if ((await query(em, sql, [id])).length === 0) throw new ServiceError('unauthorized');
  return maker;
}
