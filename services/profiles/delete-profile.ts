/**
 * Deletes a profile with everything that could still act for it, in one transaction
 * (docs/contract/profiles-and-keys.md#profiles). Its connections are disconnected and their waiting posts cancelled.
 * Its open connect sessions end, its keys and OAuth grants are revoked, and what these asked for is void. Its webhooks end with
 * their queued deliveries. Its calendars are revoked, its brand voice is removed. Event streams of its keys end with the keys.
 * Its images become unreachable, and a cleanup job frees them. Sent posts stay readable, and the externalId becomes free. Emits
 * connection.removed for each connection.
 */
import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { ApiKey } from '../../entities/api-key.ts';
import { Connection } from '../../entities/connection.ts';
import { OauthGrant } from '../../entities/oauth-grant.ts';
import { Profile } from '../../entities/profile.ts';
import { Webhook } from '../../entities/webhook.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { TEST_PLATFORM } from '../../platforms/registry.ts';
import { revokeCalendarsOfProfile } from '../calendars/revoke-calendar.ts';
import { endSessionsOfProfile } from '../connect/end-sessions-of-profile.ts';
import { removeConnections } from '../connections/remove-connections.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { endMadeBy } from '../keys/end-made-by.ts';
import { revokeKeysOf } from '../keys/revoke-key.ts';
import { revokeGrantsOf } from '../oauth/revoke-grant.ts';
import { endWebhooks } from '../webhooks/end-webhooks.ts';
import { noProfile } from '../access/profile-exists.ts';

const lockMode = LockMode.PESSIMISTIC_WRITE;

/**
 * @returns number of disconnected connections
 * @throws ServiceError not_found; forbidden when a test key would delete live keys or real connections with it
 */
export async function deleteProfile(context: Context, caller: Caller, profileId: string): Promise<number> {
  const { accountId } = caller;
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const profile = await em.findOne(Profile, { id: profileId, accountId, deletedAt: null }, { lockMode });
    if (profile === null) throw noProfile(profileId);
    if (caller.mode === 'test') await refuseBeyondTest(em, profile);
    const deletedAt = context.clock.now();
    profile.deletedAt = deletedAt;
    profile.voice = null;
    // Grants before the keys that were made under them, and both before connections, webhooks and calendars, as where they are used
    // for these (holdMaker). What else ends with them comes last, so that deliveries name the profile as the reason.
    const credentials = { accountId, profileId, at: deletedAt };
    const grantIds = await revokeGrantsOf(em, credentials);
    const ended = { grantIds, keyIds: await revokeKeysOf(em, credentials) };
    const held = { accountId, profileId, deletedAt: null };
    const connections = await em.find(Connection, held, { lockMode, orderBy: { id: 'asc' } });
    await removeConnections(context, em, caller, connections);
    await endSessionsOfProfile(em, profileId);
    await revokeCalendarsOfProfile(em, profileId);
    const webhooks = await em.find(Webhook, held, { fields: ['id'] });
    const end = { at: deletedAt, why: 'The profile of the webhook was deleted.' };
    await endWebhooks(
      em,
      webhooks.map(({ id }) => id),
      end,
    );
    await endMadeBy(em, ended, deletedAt);
    return connections.length;
  });
}

// A test key only reaches sandbox connections and test keys, so it must not delete anything else.
async function refuseBeyondTest(em: SqlEntityManager, { id, accountId }: Profile): Promise<void> {
  const beyond = { accountId, profileId: id, deletedAt: null, platformId: { $ne: TEST_PLATFORM } };
  const real = await em.count(Connection, beyond);
  const live = await em.count(ApiKey, { accountId, profileId: id, type: 'live', revokedAt: null });
  const webhooks = await em.count(Webhook, { accountId, profileId: id, mode: 'live', deletedAt: null });
  const agents = await em.count(OauthGrant, { accountId, profileId: id, revokedAt: null });
  if (real + live + agents + webhooks === 0) return;
  const message = `The profile ${id} holds what a test key cannot remove (connections beyond the ${TEST_PLATFORM}: ${real}, live keys: ${live}, agents: ${agents}, live webhooks: ${webhooks}); use a live key.`;
  throw new ServiceError('forbidden', message);
}
