/**
 * Serves the router over tRPC to typed clients at /trpc. Batches are supported, and each call counts in its own bucket.
 */
import { type CreateExpressContextOptions, createExpressMiddleware } from '@trpc/server/adapters/express';
import type { Request, RequestHandler, Response } from 'express';
import type { Surface } from '../entities/audit-entry.ts';
import { isLogged } from '../errors/codes.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { consoleRouter } from '../routers/console.ts';
import { admit, type Credentials } from '../mcp/admit.ts';
import { appRouter } from '../routers/index.ts';
import type { OperationContext } from '../routers/context.ts';
import { callError } from '../routers/procedures.ts';
import { countRequest } from '../services/keys/authenticate.ts';
import type { Caller } from '../services/access/caller.ts';
import { IMAGE_MAX_BYTES } from '../services/images/limits.ts';
import { networkOf } from '../services/limits/network-of.ts';
import type { RateState } from '../services/limits/rate-limiter.ts';
import { rateHeaders, REQUEST_ID_HEADER } from './rate-headers.ts';
import { requestIdOf } from './request-id.ts';
import { splitUrl } from './request-paths.ts';
import type { Runtime } from './runtime.ts';
import { notJson, parseQuery, watchBody } from './utf8.ts';

/** Largest body of a call or a batch. */
const BODY_MAX_BYTES = 1_048_576;

/** The call that carries an image, alone in its request, and its largest body: the image in base64, and an alt text. */
const UPLOAD_PATH = '/media.upload';
const UPLOAD_MAX_BYTES = Math.ceil(IMAGE_MAX_BYTES / 3) * 4 + 65_536;

/** Most calls one batch may carry. */
const BATCH_MAX = 100;

/** Where the router is mounted. */
export interface TrpcMount {
  readonly router: typeof appRouter | typeof consoleRouter;
  readonly surface: Surface;
  /** The caller; null when unknown. */
  callerOf(request: Request, response: Response): Promise<Caller | null> | Caller | null;
  /** The signed-in person behind the caller, where people call. */
  personOf?(request: Request, response: Response): Pick<OperationContext, 'person' | 'visit'>;
  /** Checks the credentials of the request once more. */
  checkAgain(request: Request): Promise<Pick<OperationContext, 'caller' | 'person'>>;
  /** Whether reads may also be sent as POST. */
  readonly allowMethodOverride: boolean;
}

/** The mount for keys and access tokens. It checks them before it reads any of the body. */
export function trpcHandler(context: Runtime, credentials: Credentials): RequestHandler {
  const callerOf: TrpcMount['callerOf'] = (_request, { locals }) => (locals['caller'] ?? null) as Caller | null;
  const checkAgain: TrpcMount['checkAgain'] = async ({ headers }) => ({
    caller: (await admit(context, credentials, headers, undefined))?.caller ?? null,
  });
  const mount = { router: appRouter, surface: 'trpc', callerOf, checkAgain, allowMethodOverride: false } as const;
  const answer = mountTrpc(context, mount);
  return async (request, response, next) => {
    // A cache between here and the caller may not know that x-api-key decides about the answer.
    response.setHeader('cache-control', 'no-store');
    const admission = await admit(context, credentials, request.headers, undefined);
    response.locals['caller'] = admission?.caller ?? null;
    // tRPC does not read the request when a body is set: a body without a valid key is neither kept nor waited for.
    if (admission === null && request.method === 'POST') request.body = '';
    await answer(request, response, next);
  };
}

/** Whether the body did not come along with the headers, and may come much later. */
function isHeldBack({ method, body, complete }: Request): boolean {
  return method === 'POST' && body === undefined && !complete;
}

/** The calls of a batch share one check. */
function once<Result>(check: () => Promise<Result>): () => Promise<Result> {
  let checked: Promise<Result> | undefined;
  return () => (checked ??= check());
}

/** Both mounts know the caller before any of the body is read. */
export function mountTrpc(context: Runtime, mount: TrpcMount): RequestHandler {
  const answer = middleware(context, mount, BODY_MAX_BYTES);
  const answerUpload = middleware(context, mount, UPLOAD_MAX_BYTES);
  return (request, response, next) => {
    // tRPC begins to read in this tick, unless a body is set.
    if (request.method === 'POST' && request.body === undefined) response.locals['isBodyIntact'] = watchBody(request);
    return (request.path === UPLOAD_PATH ? answerUpload : answer)(request, response, next);
  };
}

/** tRPC decodes an input with replacement characters. This refuses each call of the request where its input is read. */
function refuseDamagedInputs({ req, res, info }: CreateExpressContextOptions): void {
  const isBodyIntact = (res.locals['isBodyIntact'] ?? (() => true)) as () => boolean;
  for (const call of info.calls) {
    const read = call.getRawInput;
    call.getRawInput = async () => {
      parseQuery(splitUrl(req.url).search);
      const input = await read();
      if (!isBodyIntact()) throw notJson();
      return input;
    };
  }
}

function middleware(context: Runtime, mount: TrpcMount, maxBodySize: number): RequestHandler {
  return createExpressMiddleware({
    router: mount.router,
    maxBodySize,
    maxBatchSize: BATCH_MAX,
    allowMethodOverride: mount.allowMethodOverride,
    createContext: (options) => {
      refuseDamagedInputs(options);
      return createCallContext(context, mount, options.req, options.res);
    },
    onError: ({ error, ctx }) => {
      if (!isLogged(callError(error).code)) return;
      // The body of such a failure names the request, also that of a call without a key.
      ctx?.setHeader?.(REQUEST_ID_HEADER, ctx.requestId);
      context.log.error({ reqId: ctx?.requestId, err: error.cause ?? error }, 'a call failed');
    },
  });
}

async function createCallContext(
  context: Runtime,
  mount: TrpcMount,
  request: Request,
  response: Response,
): Promise<OperationContext> {
  const requestId = requestIdOf(response);
  const caller = await mount.callerOf(request, response);
  if (caller !== null) response.setHeader(REQUEST_ID_HEADER, requestId);
  let tightest: RateState | undefined;
  return {
    services: context,
    caller,
    requestId,
    surface: mount.surface,
    ...mount.personOf?.(request, response),
    ...(isHeldBack(request) && { callerNow: once(() => mount.checkAgain(request)) }),
    setHeader: (name, value) => {
      if (!response.headersSent) response.setHeader(name, value);
    },
    admit: async (bucket, access) => {
      const counted = access === 'public' ? null : caller;
      const rate = await (counted === null
        ? context.publicLimiter.take(`${networkOf(request.ip)} ${bucket}`, context.clock.now())
        : countRequest(context, counted, bucket));
      if (counted !== null) {
        // A batch has one set of headers, so it reports the bucket with the fewest requests left.
        if (tightest === undefined || rate.remaining <= tightest.remaining) tightest = rate;
        if (!response.headersSent)
          for (const [name, value] of Object.entries(rateHeaders(tightest))) response.setHeader(name, value);
      }
      if (!rate.allowed) throw new ServiceError('too many requests');
    },
  };
}
