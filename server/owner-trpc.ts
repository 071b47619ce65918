/**
 * Serves the router to the console of a signed-in owner at /owner/trpc. The cookie identifies the owner; the token
 * proves that our page sent the request.
 */
import { type RequestHandler, Router } from 'express';
import { isOurCall, signedIn } from '../console/people/signed-in.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Context } from '../services/context.ts';
import type { Caller } from '../services/keys/caller.ts';
import { ownerCaller } from '../services/people/owner-caller.ts';
import { REQUEST_ID_HEADER } from './rate-headers.ts';
import { requestIdOf } from './request-id.ts';
import { mountTrpc } from './trpc.ts';

/** Must never use the CORS policy of /trpc, because a browser sends the cookie automatically. */
export function ownerTrpc(context: Context): Router {
  const router = Router();
  router.use(ownersOnly(context));
  // Reads are sent as POST, because browsers name the origin of a POST over plain http too.
  const callerOf: Parameters<typeof mountTrpc>[1]['callerOf'] = (_request, { locals }) => locals['owner'] as Caller;
  router.use(mountTrpc(context, { surface: 'console', callerOf, allowMethodOverride: true }));
  return router;
}

function ownersOnly(context: Context): RequestHandler {
  return async (request, response, next) => {
    response.setHeader('cache-control', 'no-store');
    response.setHeader(REQUEST_ID_HEADER, requestIdOf(response));
    const person = await signedIn(context, request);
    if (person === null) {
      throw new ServiceError(
        'unauthorized',
        'Nobody is signed in in this browser any more. Open the page again and sign in.',
      );
    }
    if (!isOurCall(context, request, person)) {
      throw new ServiceError(
        'forbidden',
        'This call did not come from a page of Carillon that is open. Open the page again.',
      );
    }
    response.locals['owner'] = ownerCaller(person);
    next();
  };
}
