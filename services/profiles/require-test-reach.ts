/** Keeps test keys from changing a profile that holds what they do not reach (docs/contract/profiles-and-keys.md#test-keys). */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { ApiKey } from '../../entities/api-key.ts';
import { Calendar } from '../../entities/calendar.ts';
import { ConnectSession } from '../../entities/connect-session.ts';
import { Connection } from '../../entities/connection.ts';
import { OauthGrant } from '../../entities/oauth-grant.ts';
import type { Profile } from '../../entities/profile.ts';
import { Webhook } from '../../entities/webhook.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';

/**
 * @param profile locked, so that nothing is added to it meanwhile
 * @param what the caller asked for, such as `delete it`
 * @throws ServiceError forbidden for a caller in test mode
 */
export async function requireTestReach(
  { clock }: Context,
  em: SqlEntityManager,
  { mode }: Pick<Caller, 'mode'>,
  { id, accountId }: Pick<Profile, 'id' | 'accountId'>,
  what: string,
): Promise<void> {
  if (mode === 'live') return;
  const held = { accountId, profileId: id };
  const open = { status: 'pending', expiresAt: { $gt: clock.now() } } as const;
  const counts = {
    [`connections beyond the ${TEST_PLATFORM}`]: await em.count(Connection, {
      ...held,
      deletedAt: null,
      platformId: { $ne: TEST_PLATFORM },
    }),
    'live keys': await em.count(ApiKey, { ...held, type: 'live', revokedAt: null }),
    agents: await em.count(OauthGrant, { ...held, revokedAt: null }),
    'live webhooks': await em.count(Webhook, { ...held, mode: 'live', deletedAt: null }),
    'live calendars': await em.count(Calendar, { ...held, mode: 'live' }),
    'open live connect sessions': await em.count(ConnectSession, { ...held, ...open, mode: 'live' }),
  };
  if (Object.values(counts).every((count) => count === 0)) return;
  const shown = Object.entries(counts).map(([name, count]) => `${name}: ${count}`);
  throw new ServiceError(
    'forbidden',
    `The profile ${id} holds what a test key does not reach (${shown.join(', ')}), so a test key cannot ${what}; use a live key.`,
  );
}
