/**
 * Creates what the first start needs: an account, its keys and a sandbox connection, so that the first request can
 * publish (docs/contract/running.md#roles).
 */
import { takeAdvisoryLock } from '../../entities/advisory-locks.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Account } from '../../entities/account.ts';
import { ApiKey } from '../../entities/api-key.ts';
import { connectAccount } from '../connections/connect-account.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { TEST_PLATFORM } from '../../platforms/registry.ts';
import { makeSecret, secretPrefix } from '../keys/key-secret.ts';
import { hashSecret } from '../secrets.ts';

/** Values that the operator is shown once, because they are not stored. */
export interface FirstStart {
  /** The generated live key; null when BOOTSTRAP_LIVE_KEY provided it. */
  readonly generatedKey: string | null;
  /** Slug of the sandbox connection. */
  readonly sandboxSlug: string;
}

/**
 * Creates the first account unless one exists, all of it or nothing. Safe when several processes start at once.
 *
 * @param showKeys is called before the commit, so that every key that exists was shown
 * @returns null when an account exists
 */
export async function firstStart(
  context: Context,
  showKeys: (first: FirstStart) => void = () => undefined,
): Promise<FirstStart | null> {
  const { config, random, clock, db } = context;
  return db.em().transactional(async (em: SqlEntityManager) => {
    await takeAdvisoryLock(em, 'firstStart');
    if ((await em.count(Account)) > 0) return null;
    const accountId = random.uuid();
    const secret = config.bootstrapLiveKey ?? makeSecret('live', random);
    em.create(Account, { id: accountId, plan: config.defaultPlan, createdAt: clock.now() });
    const live = addKey(em, context, accountId, 'live', secret);
    if (config.bootstrapTestKey !== undefined) addKey(em, context, accountId, 'test', config.bootstrapTestKey);
    await em.flush();
    const caller: Caller = {
      accountId,
      keyId: live.id,
      profileId: null,
      mode: 'live',
      scopes: null,
      approval: 'none',
      policyId: null,
      actor: { kind: 'key', id: live.id, name: live.name },
    };
    const input = { platformId: TEST_PLATFORM, credentials: {}, description: 'Sandbox' };
    const sandbox = await connectAccount(context, caller, input, em);
    const first = { generatedKey: config.bootstrapLiveKey === undefined ? secret : null, sandboxSlug: sandbox.slug };
    showKeys(first);
    return first;
  });
}

function addKey(
  em: SqlEntityManager,
  context: Context,
  accountId: string,
  type: 'live' | 'test',
  secret: string,
): { id: string; name: string } {
  return em.create(ApiKey, {
    id: context.random.uuid(),
    accountId,
    profileId: null,
    name: type === 'live' ? 'First live key' : 'First test key',
    type,
    prefix: secretPrefix(secret),
    secretHash: hashSecret(secret),
    redirectAllowlist: null,
    scopes: null,
    createdByKeyId: null,
    grantId: null,
    createdAt: context.clock.now(),
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
  });
}
