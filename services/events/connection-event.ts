/** The events connection.created and connection.removed, with their payload (docs/contract/webhooks.md#events). */
import type { EventName } from '../../entities/event.ts';
import type { Connection } from '../../entities/connection.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import type { NewEvent } from './store-events.ts';

/**
 * Builds the event; the caller's transaction stores it. Its mode is that of the key that caused it
 * (docs/contract/webhooks.md#modes-of-events).
 *
 * @param connectSessionId the connect session that caused it; null for none
 */
export function connectionEvent(
  context: Context,
  caller: Pick<Caller, 'accountId' | 'mode'>,
  name: Extract<EventName, `connection.${string}`>,
  connection: Pick<Connection, 'id' | 'platformId' | 'slug'> & { profileId?: string | null | undefined },
  connectSessionId: string | null = null,
): NewEvent {
  const profileId = connection.profileId ?? null;
  return {
    id: context.random.uuid(),
    accountId: caller.accountId,
    profileId,
    name,
    mode: caller.mode,
    subjectId: connection.id,
    payload: {
      connection: {
        id: connection.id,
        profileId,
        connectSessionId,
        platformId: connection.platformId,
        slug: connection.slug,
      },
    },
    createdAt: context.clock.now(),
  };
}
