/** The router as typed clients call it, at /trpc: batches work, and each call counts in its own bucket. */
import { createExpressMiddleware } from '@trpc/server/adapters/express';
import type { Request, RequestHandler, Response } from 'express';
import { ServiceError } from '../errors/service-error.ts';
import { appRouter } from '../routers/index.ts';
import { callError, type OperationContext } from '../routers/trpc.ts';
import type { Context } from '../services/context.ts';
import { authenticate, takeFor } from '../services/keys/authenticate.ts';
import type { RateState } from '../services/limits/rate-limiter.ts';
import { presentedKey } from './presented-key.ts';
import { rateHeaders, REQUEST_ID_HEADER } from './rate-headers.ts';
import { requestIdOf } from './request-id.ts';

/** Largest body of a batch. */
const BODY_MAX_BYTES = 1_048_576;

/** Most calls one batch may carry. */
const BATCH_MAX = 100;

export function trpcHandler(context: Context): RequestHandler {
  return createExpressMiddleware({
    router: appRouter,
    maxBodySize: BODY_MAX_BYTES,
    maxBatchSize: BATCH_MAX,
    createContext: ({ req, res }) => createCallContext(context, req, res),
    onError: ({ error, ctx }) => {
      if (callError(error).code !== 'internal_server_error') return;
      context.log.error({ reqId: ctx?.requestId, err: error.cause ?? error }, 'a call failed');
    },
  });
}

async function createCallContext(context: Context, request: Request, response: Response): Promise<OperationContext> {
  const requestId = requestIdOf(response);
  const admission = await authenticate(context, presentedKey(request.headers));
  if (admission !== null) response.setHeader(REQUEST_ID_HEADER, requestId);
  const caller = admission?.caller ?? null;
  let tightest: RateState | undefined;
  return {
    services: context,
    caller,
    requestId,
    surface: 'trpc',
    setHeader: (name, value) => {
      if (!response.headersSent) response.setHeader(name, value);
    },
    admit: async (bucket, access) => {
      const counted = access === 'public' ? null : caller;
      const rate = await (counted === null
        ? context.publicLimiter.take(`${request.ip} ${bucket}`, context.clock.now())
        : takeFor(context, counted, bucket));
      if (counted !== null) {
        // A batch has one set of headers, so it tells of the bucket that is nearest to its end.
        if (tightest === undefined || rate.remaining <= tightest.remaining) tightest = rate;
        if (!response.headersSent)
          for (const [name, value] of Object.entries(rateHeaders(tightest))) response.setHeader(name, value);
      }
      if (!rate.allowed) throw new ServiceError('too many requests');
    },
  };
}
