/**
 * Serves the router to the console of a signed-in owner at /owner/trpc. The cookie identifies the owner; the token
 * proves that our page sent the request.
 */
import { type RequestHandler, Router } from 'express';
import { visitOf } from '../console/people/sign-in-page.ts';
import { isOurCall, signedIn, type SignedInPerson } from '../console/people/signed-in.ts';
import { ServiceError } from '../errors/service-error.ts';
import { consoleRouter } from '../routers/console.ts';
import type { Context } from '../services/context.ts';
import type { Caller } from '../services/access/caller.ts';
import { ownerCaller } from '../services/people/owner-caller.ts';
import { REQUEST_ID_HEADER } from './rate-headers.ts';
import { requestIdOf } from './request-id.ts';
import { mountTrpc } from './trpc.ts';
import type { Runtime } from './runtime.ts';

/** Must never use the CORS policy of /trpc, because a browser sends the cookie automatically. */
export function ownerTrpc(context: Runtime): Router {
  const router = Router();
  router.use(ownersOnly(context));
  // Reads are sent as POST, because browsers name the origin of a POST over plain http too.
  const callerOf: Parameters<typeof mountTrpc>[1]['callerOf'] = (_request, { locals }) => locals['owner'] as Caller;
  const personOf: Parameters<typeof mountTrpc>[1]['personOf'] = (request, response) => ({
    person: response.locals['person'] as SignedInPerson,
    visit: visitOf(request, response),
  });
  const checkAgain: Parameters<typeof mountTrpc>[1]['checkAgain'] = async (request) => {
    const person = await signedIn(context, request);
    return person === null ? { caller: null } : { caller: ownerCaller(person), person };
  };
  const mount = { router: consoleRouter, surface: 'console', callerOf, personOf, checkAgain } as const;
  router.use(mountTrpc(context, { ...mount, allowMethodOverride: true }));
  return router;
}

/** Refuses those who are not signed in, and calls that did not come from our page. */
export function ownersOnly(context: Context): RequestHandler {
  return async (request, response, next) => {
    response.setHeader('cache-control', 'no-store');
    response.setHeader(REQUEST_ID_HEADER, requestIdOf(response));
    const person = await signedIn(context, request);
    if (person === null) {
      throw new ServiceError('unauthorized', 'No one is signed in in this browser. Open the page again and sign in.');
    }
    if (!isOurCall(context, request, person)) {
      throw new ServiceError('forbidden', 'This request did not come from an open Carillon page. Open the page again.');
    }
    response.locals['person'] = person;
    response.locals['owner'] = ownerCaller(person);
    next();
  };
}
