/** Inserts a new key and returns its secret, which is not stored. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { ApiKey } from '../../entities/api-key.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { hashSecret } from '../secrets.ts';
import { makeSecret, secretPrefix } from './key-secret.ts';
import { type KeyView, keyView } from './key-view.ts';
import { type Limits, scopeList } from '../access/limits.ts';
import type { Maker } from '../access/maker.ts';

export interface NewKey extends Maker {
  readonly accountId: string;
  readonly name: string;
  readonly limits: Limits;
  readonly redirectAllowlist: readonly string[];
  /** ISO instant from which it is refused; never if undefined. */
  readonly expiresAt?: string | undefined;
}

export interface MintedKey {
  key: KeyView;
  /** Returned only once. */
  secret: string;
}

/** Inserts it in the transaction of `em`. @throws ServiceError invalid_request when it would have expired already */
export async function storeKey(em: SqlEntityManager, context: Context, made: NewKey): Promise<MintedKey> {
  const { accountId, name, limits, redirectAllowlist, createdByKeyId, grantId, expiresAt } = made;
  const now = context.clock.now();
  const secret = makeSecret(limits.mode, context.random);
  const key = em.create(ApiKey, {
    id: context.random.uuid(),
    accountId,
    profileId: limits.profileId,
    name,
    type: limits.mode,
    prefix: secretPrefix(secret),
    secretHash: hashSecret(secret),
    redirectAllowlist: redirectAllowlist.length === 0 ? null : [...redirectAllowlist],
    scopes: scopeList(limits.scopes),
    approval: limits.approval,
    policyId: limits.policyId,
    createdByKeyId,
    grantId,
    createdAt: now,
    expiresAt: expiresAt === undefined ? null : endAfter(now, expiresAt),
    lastUsedAt: null,
    revokedAt: null,
  });
  await em.flush();
  return { key: keyView(key), secret };
}

function endAfter(now: Date, expiresAt: string): Date {
  const end = new Date(expiresAt);
  if (end <= now) throw new ServiceError('invalid_request', `expiresAt: ${expiresAt} is not in the future.`);
  // With an offset it can be, and no database reads such a year as another one writes it.
  if (end.getUTCFullYear() > 9999) {
    throw new ServiceError(
      'invalid_request',
      `expiresAt: ${expiresAt} is after the year 9999 in UTC; give an earlier one.`,
    );
  }
  return end;
}
