/** The HTTP application with every mount, without a listening socket. main.ts serves it and tests start it. */
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { readChatView } from '../console/chat-views.ts';
import { oauthPages } from '../console/oauth/oauth-pages.ts';
import { pagesRouter } from '../console/pages.ts';
import { ERRORS, isLogged } from '../errors/codes.ts';
import { errorBody, publicError } from '../errors/error-body.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Credentials } from '../mcp/admit.ts';
import { CALENDARS_PATH } from '../services/calendars/calendar-secret.ts';
import type { Context } from '../services/context.ts';
import { createStreamPlaces } from '../services/events/stream-places.ts';
import { PUBLIC_IMAGES_PATH } from '../services/media/image-address.ts';
import type { ResourceName } from '../services/oauth/addresses.ts';
import { accessLog } from './access-log.ts';
import { machineTime } from './clocks.ts';
import { serveCalendarFile } from './calendar-file.ts';
import { cors } from './cors.ts';
import { identityRouter } from './doctor.ts';
import { EVENTS_PATH, eventStreams } from './event-stream.ts';
import { EXPORTS_PATH, serveExports } from './exports.ts';
import { frameworkError } from './framework-error.ts';
import { createAuthorizationServer } from './oauth/authorization-server.ts';
import { oauthRouter } from './oauth/oauth-router.ts';
import { operatorRouter } from './operator.ts';
import { ownerEvents } from './owner-events.ts';
import { ownerMedia } from './owner-media.ts';
import { ownerTrpc } from './owner-trpc.ts';
import { presentedKey } from './presented-key.ts';
import { measureDurations, probes } from './probes.ts';
import { rateHeaders, REQUEST_ID_HEADER } from './rate-headers.ts';
import { readBody } from './read-body.ts';
import { servePublicImage } from './public-image.ts';
import { giveRequestId, requestIdOf } from './request-id.ts';
import { loadOnce } from './load-once.ts';
import { limitRequestsInProgress } from './request-limit.ts';
import { handleRest } from './rest.ts';
import { serveDocument } from './serve-document.ts';
import { trpcHandler } from './trpc.ts';
import type { Runtime } from './runtime.ts';
import { traceRequests } from './trace-requests.ts';

export interface AppOptions {
  /** False until the start is complete, and again from the moment the process is asked to stop. */
  readonly isReady?: () => boolean;
  /** Aborts when the process is asked to stop. Answers without an end, such as event streams, end then. */
  readonly stopping?: AbortSignal;
  /** Enables the operator's endpoints; without a token they do not exist. */
  readonly operatorToken?: string | undefined;
}

export function createApp(context: Runtime, options: AppOptions = {}): Express {
  const app = newApp(context);
  const openApi = loadOnce(async () => {
    const { createOpenApiDocument } = await import('./openapi.ts');
    return createOpenApiDocument(context.config.publicUrl, context.version);
  });
  // The API comes first: each handler before it costs every request.
  app.get('/api/v2/openapi.json', cors, serveDocument(context, openApi));
  const stopping = options.stopping ?? new AbortController().signal;
  const streams = { stopping, places: createStreamPlaces() };
  const authorizationServer = createAuthorizationServer(context, machineTime);
  const credentials = (...resources: ResourceName[]): Credentials => ({
    presentedKey,
    checkAccessToken: (token) => authorizationServer.checkAccessToken(token, resources),
  });
  const api = credentials('api');
  app.get(`/api/v2${EVENTS_PATH}`, cors, eventStreams(context, credentials('api', 'mcp'), streams));
  const exports = serveExports(context, api, stopping);
  app.get(`/api/v2${EXPORTS_PATH}/:kind`, cors, exports.forKeys);
  app.use('/api/v2', cors, (request, response) => handleRest(context, api, request, response));
  const mcp = loadOnce(async () => {
    const { createMcpHandler } = await import('../mcp/handler.ts');
    return createMcpHandler(context, {
      ...credentials('mcp'),
      requestIdOf,
      rateHeaders,
      readBody,
      requestIdHeader: REQUEST_ID_HEADER,
      openApi: await openApi(),
      readView: readChatView,
      streams,
    });
  });
  app.all(['/mcp', '/mcp/*path'], async (request, response, next) => (await mcp())(request, response, next));
  app.use(probes(context, options.isReady ?? (() => true)));
  app.use(identityRouter(context));
  app.use('/trpc', cors, trpcHandler(context, api));
  app.use('/owner/trpc', ownerTrpc(context));
  app.use('/owner/events', ownerEvents(context, streams));
  app.use('/owner/media', ownerMedia(context));
  app.get(`/owner${EXPORTS_PATH}/:kind`, exports.forPeople);
  app.use(oauthRouter(context, authorizationServer));
  const { operatorToken } = options;
  const hasOperator = context.config.operator !== 'off';
  if (operatorToken !== undefined && hasOperator)
    app.use('/operator', operatorRouter(context, operatorToken, authorizationServer));
  app.get(`${PUBLIC_IMAGES_PATH}/:platformId/:mediaId`, servePublicImage(context));
  app.get(`${CALENDARS_PATH}/:fileName`, serveCalendarFile(context));
  app.use(oauthPages(context, authorizationServer.requests));
  app.use(pagesRouter(context));
  app.use(unknownPath(context), failedRequest(context));
  return app;
}

/** The application of a worker: it answers only the probes of orchestrators (docs/contract/running.md#roles). */
export function createWorkerApp(context: Runtime, options: AppOptions = {}): Express {
  const app = newApp(context);
  app.use(probes(context, options.isReady ?? (() => true)));
  app.use(unknownPath(context), failedRequest(context));
  return app;
}

function newApp(context: Runtime): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  if (context.config.trustProxy !== undefined) app.set('trust proxy', context.config.trustProxy);
  app.use(giveRequestId(context.random));
  if (context.tracer.isOn) app.use(traceRequests(context.tracer));
  app.use(accessLog(context), secureHeaders(context.config.publicUrl));
  app.use(limitRequestsInProgress(context.config.maxConnectionsPerAddress), measureDurations(context));
  return app;
}

/**
 * Headers of every answer. Pages replace the policy with one that allows their own assets
 * (docs/contract/errors-and-limits.md#headers).
 */
function secureHeaders(publicUrl: string): RequestHandler {
  const isEncrypted = publicUrl.startsWith('https:');
  return (_request, response, next) => {
    response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
    response.setHeader('x-content-type-options', 'nosniff');
    // For browsers that do not support frame-ancestors.
    response.setHeader('x-frame-options', 'DENY');
    response.setHeader('referrer-policy', 'no-referrer');
    // Without includeSubDomains: other hosts of the domain do not belong to this install.
    if (isEncrypted) response.setHeader('strict-transport-security', `max-age=${HSTS_SECONDS}`);
    next();
  };
}

/** How long a browser must use only https for this host: one year. */
const HSTS_SECONDS = 31_536_000;

function unknownPath(context: Context): RequestHandler {
  return (request, response) => {
    const error = new ServiceError(
      'not_found',
      `There is nothing at ${request.path.slice(0, 200)}. The API is at /api/v2, its reference at /docs.`,
    );
    response.status(404).json(errorBody(error, requestIdOf(response), `${context.config.publicUrl}/docs/errors`));
  };
}

function failedRequest(context: Context): ErrorRequestHandler {
  return (thrown, _request, response, next) => {
    if (response.headersSent) {
      next(thrown);
      return;
    }
    const error = publicError(frameworkError(thrown));
    if (isLogged(error.code)) context.log.error({ reqId: requestIdOf(response), err: thrown }, 'a request failed');
    if (error.retryAfterSeconds !== undefined) response.setHeader('retry-after', error.retryAfterSeconds);
    const body = errorBody(error, requestIdOf(response), `${context.config.publicUrl}/docs/errors`);
    response.status(ERRORS[error.code].status).json(body);
  };
}
