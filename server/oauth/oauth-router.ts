/** Mounts the authorization server and its metadata documents: /oauth/... and the well-known addresses. */
import { type RequestHandler, Router } from 'express';
import { oauthErrorPage } from '../../console/oauth/oauth-error-page.ts';
import { sendFailure } from '../../console/people/send-failure.ts';
import { sendNotice } from '../../console/people/send-people-page.ts';
import { errorBody } from '../../errors/error-body.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../../services/context.ts';
import { SCOPES } from '../../services/access/scopes.ts';
import { networkOf } from '../../services/limits/network-of.ts';
import { type RateLimiter, secondsUntilReset, type WithPublicLimiter } from '../../services/limits/rate-limiter.ts';
import {
  RESOURCE_METADATA_PATH,
  RESOURCE_NAMES,
  type ResourceName,
  resourceOf,
  RESOURCES,
} from '../../services/oauth/addresses.ts';
import { isPercentEncodedUtf8 } from '../../services/percent-encoding.ts';
import { REQUEST_ID_HEADER } from '../rate-headers.ts';
import { requestIdOf } from '../request-id.ts';
import { splitUrl } from '../request-paths.ts';
import { type AuthorizationServer, DISCOVERY_PATH } from './authorization-server.ts';
import { ROUTES } from './provider-configuration.ts';
import { limitByAddress } from './token-limits.ts';

/** Seconds a browser may cache the answer to a preflight. */
const PREFLIGHT_MAX_AGE = '86400';

export function oauthRouter(
  context: Context & WithPublicLimiter,
  { provider, newClients }: AuthorizationServer,
): Router {
  const router = Router();
  for (const name of RESOURCE_NAMES) {
    const path = `${RESOURCE_METADATA_PATH}${RESOURCES[name]}`;
    // Clients from before the API was a resource ask without a path, and mean /mcp.
    const paths = name === 'mcp' ? [RESOURCE_METADATA_PATH, path] : [path];
    router.all(paths, anyOrigin('GET'), describeResource(context, name));
  }
  router.all(ROUTES.registration, anyOrigin('POST'), limitRegistrations(context, newClients));
  const pass = atPublicUrl(context, async (request, response) => {
    await (await provider()).callback()(request, response);
  });
  router.all(ROUTES.authorization, limitQuestions(context), refuseDamagedQuery);
  for (const path of [ROUTES.token, ROUTES.revocation]) router.all(path, limitByAddress(context, path));
  router.all([DISCOVERY_PATH, ...Object.values(ROUTES)], pass);
  router.get(`${ROUTES.authorization}/:uid`, pass);
  router.use(ROUTES.authorization, sendFailure(context));
  return router;
}

/** RFC 9728: which resource access tokens are for, and which server issues them. */
function describeResource({ config }: Context, name: ResourceName): RequestHandler {
  const document = {
    resource: resourceOf(config, name),
    authorization_servers: [config.publicUrl],
    scopes_supported: Object.keys(SCOPES),
    bearer_methods_supported: ['header'],
    resource_name: 'Carillon',
    resource_documentation: `${config.publicUrl}/docs`,
  };
  return (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    response.setHeader('cache-control', 'public, max-age=600');
    response.json(document);
  };
}

/** Public documents and registrations contain no data of a visitor, so pages of any origin may request them. */
function anyOrigin(method: 'GET' | 'POST'): RequestHandler {
  return (request, response, next) => {
    response.setHeader('access-control-allow-origin', '*');
    if (request.method !== 'OPTIONS') return next();
    response.setHeader('access-control-allow-methods', method);
    response.setHeader('access-control-allow-headers', 'content-type, mcp-protocol-version');
    response.setHeader('access-control-max-age', PREFLIGHT_MAX_AGE);
    response.status(204).end();
  };
}

/** Registration is open to everyone, so a limit keeps it from filling the database. */
function limitRegistrations(context: Context, limiter: RateLimiter): RequestHandler {
  return async (request, response, next) => {
    if (request.method !== 'POST') return next();
    const now = context.clock.now();
    const rate = await limiter.take(`${networkOf(request.ip)} clients`, now);
    if (rate.allowed) return next();
    response.setHeader('retry-after', String(secondsUntilReset(rate, now)));
    const error = new ServiceError(
      'too many requests',
      `At most ${rate.limit} clients a minute are registered from one address; try again later.`,
    );
    const body = errorBody(error, requestIdOf(response), `${context.config.publicUrl}/docs/errors`);
    response.status(429).json(body);
  };
}

/** Each consent request is stored for an hour, even if no person answers it. */
function limitQuestions(context: Context & WithPublicLimiter): RequestHandler {
  return async (request, response, next) => {
    const bucket = `${networkOf(request.ip)} consent`;
    const { allowed } = await context.publicLimiter.take(bucket, context.clock.now());
    if (allowed) return next();
    response.setHeader('retry-after', '60');
    sendNotice(response, 429, 'Not now', 'Too many requests came from this address. Wait a minute, then try again.');
  };
}

/** oidc-provider decodes with replacement characters: the client would get another state than it sent. */
const refuseDamagedQuery: RequestHandler = (request, response, next) => {
  if (isPercentEncodedUtf8(splitUrl(request.originalUrl).search)) return next();
  const description = 'the query is not in UTF-8; percent-encode its values as UTF-8, such as %C3%BC for ü';
  const { policy, text } = oauthErrorPage({ error: 'invalid_request', error_description: description });
  response.setHeader('content-security-policy', policy);
  response.setHeader('cache-control', 'no-store');
  response.status(400).type('html').send(text);
};

/**
 * oidc-provider writes addresses as the request named them. This calls it with the address of the install, independent
 * of the request.
 */
function atPublicUrl({ config }: Context, handle: RequestHandler): RequestHandler {
  const { protocol, host } = new URL(config.publicUrl);
  return (request, response, next) => {
    // A request line may name a whole address, which would take precedence over every header.
    request.originalUrl = pathOf(request.originalUrl);
    request.url = pathOf(request.url);
    response.setHeader(REQUEST_ID_HEADER, requestIdOf(response));
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    request.headers['x-forwarded-host'] = host;
    // Its own session is not used, so a session cookie from the browser is removed.
    request.headers.cookie = withoutSession(request.headers.cookie);
    return handle(request, response, next);
  };
}

function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, '');
}

function withoutSession(cookie = ''): string {
  const remaining = cookie.split(';').filter((pair) => !/^\s*(__Secure-)?oauth-session(\.sig)?=/.test(pair));
  return remaining.join(';');
}
