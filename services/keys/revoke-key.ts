/** Revokes a key, for good. It is refused from the next request on in every process, because each request looks it up. */
import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { ApiKey } from '../../entities/api-key.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { noProfile, profileExists } from '../profiles/profile-exists.ts';
import type { Caller } from './caller.ts';
import { reachableKeys } from './reachable-keys.ts';

/**
 * A key that is revoked already stays as it is, with its first revokedAt.
 *
 * @param profileId the profile the key must belong to; undefined for any key of the account
 * @throws ServiceError not_found
 */
export async function revokeKey(
  context: Context,
  caller: Caller,
  keyId: string,
  profileId: string | undefined,
): Promise<void> {
  if (profileId !== undefined && !(await profileExists(context, caller, profileId))) throw noProfile(profileId);
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const where = { ...Object(reachableKeys(caller)), ...(profileId === undefined ? {} : { profileId }), id: keyId };
    const key = await em.findOne(ApiKey, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (key === null) {
      const whose = profileId === undefined ? 'No key of yours' : `No key of the profile ${profileId}`;
      throw new ServiceError('not_found', `${whose} has the id ${keyId}.`);
    }
    key.revokedAt ??= context.clock.now();
    await em.flush();
  });
}
