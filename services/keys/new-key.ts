/** Inserts a new key and returns its secret, which is not stored. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { ApiKey } from '../../entities/api-key.ts';
import type { Context } from '../context.ts';
import { hashSecret } from '../secrets.ts';
import { makeSecret, secretPrefix } from './key-secret.ts';
import { type KeyView, keyView } from './key-view.ts';
import { type Limits, scopeList } from './limits.ts';
import type { Maker } from './maker.ts';

export interface NewKey extends Maker {
  readonly accountId: string;
  readonly name: string;
  readonly limits: Limits;
  readonly redirectAllowlist: readonly string[];
}

export interface MintedKey {
  key: KeyView;
  /** Returned only once. */
  secret: string;
}

/** Inserts it in the transaction of `em`. */
export async function storeKey(em: SqlEntityManager, context: Context, made: NewKey): Promise<MintedKey> {
  const { accountId, name, limits, redirectAllowlist, createdByKeyId, grantId } = made;
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
    createdByKeyId,
    grantId,
    createdAt: context.clock.now(),
    lastUsedAt: null,
    revokedAt: null,
  });
  await em.flush();
  return { key: keyView(key), secret };
}
