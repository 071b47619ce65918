/**
 * Creates a key that reaches the whole account (docs/contract/profiles-and-keys.md#account-keys). Only an owner or the
 * operator can request it; an API key cannot.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Account } from '../../entities/account.ts';
import type { ApprovalRule } from '../../entities/approval-actors.ts';
import { ApiKey } from '../../entities/api-key.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { recordChange } from '../audit/record-change.ts';
import type { AuditObject, AuditOutcome, Change } from '../audit/store-entries.ts';
import type { Scope } from '../access/scopes.ts';
import type { Context } from '../context.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { type MintedKey, storeKey } from './new-key.ts';

/** Maximum number of account keys at once, of each type. */
export const ACCOUNT_KEYS_MAX = 50;

/** Maximum length of a key's name, in characters. */
export const KEY_NAME_MAX = 80;

export interface NewAccountKey {
  readonly accountId: string;
  /** 1 to {@link KEY_NAME_MAX} characters. */
  readonly name: string;
  readonly type: 'live' | 'test';
  /** All when undefined. */
  readonly scopes?: readonly Scope[] | undefined;
  /** None when undefined. */
  readonly approval?: ApprovalRule | undefined;
  /** ISO instant from which it is refused; never if undefined. */
  readonly expiresAt?: string | undefined;
}

/** Builds the audit entry from the key that it is about. */
export type KeyChange = (object: AuditObject) => Change & { readonly outcome: AuditOutcome };

/**
 * Creates a key for the operator.
 *
 * @throws ServiceError not_found (no such account), limit_exceeded, invalid_request (expiresAt in the past)
 */
export async function createAccountKey(context: Context, wanted: NewAccountKey, change: KeyChange): Promise<MintedKey> {
  const { accountId } = wanted;
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    if ((await em.count(Account, { id: accountId })) === 0)
      throw new ServiceError('not_found', `No account has the id ${accountId}.`);
    await lockAccount(em, accountId);
    return storeAccountKey(em, context, wanted, change);
  });
}

/**
 * Inserts the key and the audit entry together, in the caller's transaction, which has locked the account.
 *
 * @throws ServiceError limit_exceeded, invalid_request (expiresAt in the past)
 */
export async function storeAccountKey(
  em: SqlEntityManager,
  context: Context,
  { accountId, name, type, scopes, approval = 'none', expiresAt }: NewAccountKey,
  change: KeyChange,
): Promise<MintedKey> {
  await refuseAbove(em, accountId, type);
  const limits = {
    profileId: null,
    mode: type,
    scopes: scopes === undefined ? null : new Set(scopes),
    approval,
    policyId: null,
  };
  const madeByOwner = { createdByKeyId: null, grantId: null };
  const made = await storeKey(em, context, {
    accountId,
    name,
    limits,
    redirectAllowlist: [],
    expiresAt,
    ...madeByOwner,
  });
  await recordChange(context, change({ type: 'key', ids: [made.key.id] }), em);
  return made;
}

async function refuseAbove(em: SqlEntityManager, accountId: string, type: 'live' | 'test'): Promise<void> {
  const count = await em.count(ApiKey, { accountId, type, profileId: null, revokedAt: null });
  if (count < ACCOUNT_KEYS_MAX) return;
  const message = `The account has ${count} ${type} keys without a profile; the limit is ${ACCOUNT_KEYS_MAX}. Revoke one first.`;
  throw new ServiceError('limit_exceeded', message);
}
