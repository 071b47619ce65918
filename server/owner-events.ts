/**
 * GET /owner/events: the stream of the console of a signed-in person: all events of the account, also those that a webhook has
 * to name, and every completed change, so that the console shows what others and the workers do.
 */
import { type RequestHandler, Router } from 'express';
import type { SignedInPerson } from '../console/people/signed-in.ts';
import { EVENT_NAMES } from '../entities/event.ts';
import { followChanges } from '../services/audit/follow-changes.ts';
import type { Context } from '../services/context.ts';
import type { EventStreamOptions } from '../services/events/stream-places.ts';
import type { WithLimiter } from '../services/limits/rate-limiter.ts';
import { ownerCaller } from '../services/people/owner-caller.ts';
import { EVENTS_PATH, streamEvents } from './event-stream.ts';
import { ownersOnly } from './owner-trpc.ts';
import { countCaller } from './rest-request.ts';

export function ownerEvents(context: Context & WithLimiter, options: EventStreamOptions): Router {
  const router = Router();
  const stream: RequestHandler = streamEvents(context, options, async ({ response, headers }) => {
    const person = response.locals['person'] as SignedInPerson;
    const caller = ownerCaller(person);
    await countCaller(context, { headers }, caller, EVENTS_PATH);
    return {
      caller,
      reader: { ...caller, credentialId: person.signInId, names: EVENT_NAMES },
      // Before the stream begins: what its reader changes from then on is reported.
      changes: await changeMessages(context, person.accountId),
    };
  });
  router.get('/', ownersOnly(context), stream);
  return router;
}

/** Changes have no id, because a reader that was away reads everything again. */
async function changeMessages(context: Context, accountId: string): Promise<() => Promise<string>> {
  const changes = await followChanges(context, accountId);
  return async () =>
    (await changes())
      .map(({ operation, object_type: objectType, object_ids: objectIds }) => {
        const data = JSON.stringify({ operation, objectType, objectIds });
        return `event: change\ndata: ${data}\n\n`;
      })
      .join('');
}
