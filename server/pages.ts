/** What Express serves: streams, documents, tRPC, OAuth, the console and its pages. */
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { oauthPages } from '../console/oauth/oauth-pages.ts';
import { pagesRouter } from '../console/pages.ts';
import { errorBody } from '../errors/error-body.ts';
import { ServiceError } from '../errors/service-error.ts';
import { CALENDARS_PATH } from '../services/calendars/calendar-secret.ts';
import type { Context } from '../services/context.ts';
import { createStreamPlaces, type EventStreamOptions } from '../services/events/stream-places.ts';
import { PUBLIC_IMAGES_PATH } from '../services/media/image-address.ts';
import type { Access } from './access.ts';
import { serveCalendarFile } from './calendar-file.ts';
import type { ClientAddresses } from './client-address.ts';
import { cors } from './cors.ts';
import { identityRouter } from './doctor.ts';
import { EVENTS_PATH, eventStreams } from './event-stream.ts';
import { EXPORTS_PATH, serveExports } from './exports.ts';
import { frameworkError } from './framework-error.ts';
import { loadOnce } from './load-once.ts';
import { oauthRouter } from './oauth/oauth-router.ts';
import { operatorRouter } from './operator.ts';
import { ownerEvents } from './owner-events.ts';
import { ownerMedia } from './owner-media.ts';
import { ownerTrpc } from './owner-trpc.ts';
import { probes } from './probes.ts';
import { servePublicImage } from './public-image.ts';
import { requestIdOf } from './request-id.ts';
import type { Runtime } from './runtime.ts';
import { secureHeaders } from './secure-headers.ts';
import { serveDocument } from './serve-document.ts';
import { trpcHandler } from './trpc.ts';
import { writeFailure } from './write-failure.ts';

export interface AppOptions {
  /** False until the start is complete, and again from the moment the process is asked to stop. */
  readonly isReady?: () => boolean;
  /** Aborts when the process is asked to stop. Answers without an end, such as event streams, end then. */
  readonly stopping?: AbortSignal;
  /** Enables the operator's endpoints; without a token they do not exist. */
  readonly operatorToken?: string | undefined;
}

/** What MCP and the pages share. */
export interface SharedParts {
  readonly openApi: () => Promise<object>;
  readonly streams: EventStreamOptions;
}

export function shareParts(context: Runtime, { stopping = new AbortController().signal }: AppOptions): SharedParts {
  return {
    openApi: loadOnce(async () => {
      const { createOpenApiDocument } = await import('./openapi.ts');
      return createOpenApiDocument(context.config.publicUrl, context.version);
    }),
    streams: { stopping, places: createStreamPlaces() },
  };
}

export function createPages(context: Runtime, access: Access, options: AppOptions & SharedParts): Express {
  const { authorizationServer, credentials } = access;
  const { openApi, streams, operatorToken } = options;
  const app = newApp(context, access.addresses);
  app.get('/api/v2/openapi.json', cors, serveDocument(context, openApi));
  const api = credentials('api');
  app.get(`/api/v2${EVENTS_PATH}`, cors, eventStreams(context, credentials('api', 'mcp'), streams));
  const exports = serveExports(context, api, streams);
  app.get(`/api/v2${EXPORTS_PATH}/:kind`, cors, exports.forKeys);
  app.use(probes(context, options.isReady ?? (() => true)));
  app.use(identityRouter(context));
  app.use('/trpc', cors, trpcHandler(context, api));
  app.use('/owner/trpc', ownerTrpc(context));
  app.use('/owner/events', ownerEvents(context, streams));
  app.use('/owner/media', ownerMedia(context));
  app.get(`/owner${EXPORTS_PATH}/:kind`, exports.forPeople);
  app.use(oauthRouter(context, authorizationServer));
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

/** The probes of orchestrators, and nothing else. */
export function createProbes(context: Runtime, addresses: ClientAddresses, options: AppOptions): Express {
  const app = newApp(context, addresses);
  app.use(probes(context, options.isReady ?? (() => true)));
  app.use(unknownPath(context), failedRequest(context));
  return app;
}

function newApp(context: Runtime, { isTrusted }: ClientAddresses): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', isTrusted);
  const headers = secureHeaders(context.config);
  app.use((_request, response, next) => {
    response.set(headers);
    // Where the pages of the console find it.
    response.locals['requestId'] = requestIdOf(response);
    next();
  });
  return app;
}

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
    if (response.headersSent) next(thrown);
    else writeFailure(context, response, frameworkError(thrown));
  };
}
