/**
 * The API answers every origin, because it authenticates by header and sets no cookies
 * (docs/contract/profiles-and-keys.md#who-reaches-what).
 */
import type { RequestHandler } from 'express';
import { EXPOSED_HEADERS } from './rate-headers.ts';

/** Seconds a browser may cache the answer to a preflight. */
const PREFLIGHT_MAX_AGE = '86400';

/** Headers of every answer of the API. */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS,
};

/** Headers of the answer to a preflight, with those of every answer. */
export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE, OPTIONS',
  'access-control-allow-headers': 'authorization, content-type, idempotency-key, last-event-id, x-api-key',
  'access-control-max-age': PREFLIGHT_MAX_AGE,
};

export const cors: RequestHandler = (request, response, next) => {
  response.set(CORS_HEADERS);
  if (request.method !== 'OPTIONS') {
    next();
    return;
  }
  response.set(PREFLIGHT_HEADERS);
  response.status(204).end();
};
