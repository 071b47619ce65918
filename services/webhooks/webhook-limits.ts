/**
 * Limits on the number of webhooks (docs/contract/webhooks.md#how-many). Live and test, enabled and disabled ones count
 * alike.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Webhook } from '../../entities/webhook.ts';
import { ServiceError } from '../../errors/service-error.ts';

/** Most webhooks registered with keys of one profile. */
export const WEBHOOKS_PER_PROFILE = 20;

/** Most webhooks of an account, including those of its profiles. */
export const WEBHOOKS_PER_ACCOUNT = 100;

/**
 * Call it while the account is locked, so that two registrations cannot take the last free slot together.
 *
 * @param profileId the profile of the key that registers; null for an unscoped key
 * @throws ServiceError limit_exceeded
 */
export async function requireWebhookCapacity(
  em: SqlEntityManager,
  accountId: string,
  profileId: string | null,
): Promise<void> {
  if (profileId !== null) {
    const ofProfile = await em.count(Webhook, { accountId, profileId, deletedAt: null });
    if (ofProfile >= WEBHOOKS_PER_PROFILE) throw tooMany(`The profile ${profileId}`, ofProfile, WEBHOOKS_PER_PROFILE);
  }
  const ofAccount = await em.count(Webhook, { accountId, deletedAt: null });
  if (ofAccount >= WEBHOOKS_PER_ACCOUNT) throw tooMany('The account', ofAccount, WEBHOOKS_PER_ACCOUNT);
}

function tooMany(whose: string, count: number, max: number): ServiceError {
  const message = `${whose} has ${count} webhooks; the limit is ${max}. Delete one with DELETE /webhooks/{webhookId} first.`;
  return new ServiceError('limit_exceeded', message);
}
