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
import { Connection } from '../../entities/connection.ts';
import { Profile } from '../../entities/profile.ts';
import { Webhook } from '../../entities/webhook.ts';
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
import { requireTestReach } from './require-test-reach.ts';

const lockMode = LockMode.PESSIMISTIC_WRITE;

/**
 * @returns number of disconnected connections
 * @throws ServiceError not_found; forbidden when a test key would delete with it what it does not reach
 */
export async function deleteProfile(context: Context, caller: Caller, profileId: string): Promise<number> {
  const { accountId } = caller;
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const profile = await em.findOne(Profile, { id: profileId, accountId, deletedAt: null }, { lockMode });
    if (profile === null) throw noProfile(profileId);
    await requireTestReach(context, em, caller, profile, 'delete it');
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
