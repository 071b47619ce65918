/** The events connection.created and connection.removed, payload as the spec shows it. */
import { Event, type EventName } from '../../entities/event.ts';
import type { Connection } from '../../entities/connection.ts';
import type { RequiredEntityData } from '@mikro-orm/core';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';

/**
 * Makes the event row; the caller's transaction stores it. Its mode is that of the key that caused it (D40).
 *
 * @param connectSessionId the connect session it happened in; null for none
 */
export function connectionEvent(
  context: Context,
  caller: Pick<Caller, 'accountId' | 'mode'>,
  name: Extract<EventName, `connection.${string}`>,
  connection: Pick<Connection, 'id' | 'platformId' | 'slug'> & { profileId?: string | null | undefined },
  connectSessionId: string | null = null,
): RequiredEntityData<Event> {
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
