/**
 * The API answers every origin, because it authenticates by header and sets no cookies
 * (docs/contract/profiles-and-keys.md#who-reaches-what).
 */
import type { RequestHandler } from 'express';
import { EXPOSED_HEADERS } from './rate-headers.ts';

/** Seconds a browser may cache the answer to a preflight. */
const PREFLIGHT_MAX_AGE = '86400';

export const cors: RequestHandler = (request, response, next) => {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
  if (request.method !== 'OPTIONS') {
    next();
    return;
  }
  response.setHeader('access-control-allow-methods', 'GET, POST, PATCH, PUT, DELETE, OPTIONS');
  response.setHeader(
    'access-control-allow-headers',
    'authorization, content-type, idempotency-key, last-event-id, x-api-key',
  );
  response.setHeader('access-control-max-age', PREFLIGHT_MAX_AGE);
  response.status(204).end();
};
