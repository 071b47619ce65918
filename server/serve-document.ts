/**
 * GET /openapi.json: the API document, the same for every caller, rate-limited by address like every public operation.
 */
import type { RequestHandler } from 'express';
import type { Context } from '../services/context.ts';
import { networkOf } from '../services/limits/network-of.ts';
import { refuseWhenFull, writeError } from './rest-request.ts';
import type { WithPublicLimiter } from '../services/limits/rate-limiter.ts';

/** Bucket that its requests count in. */
const BUCKET = 'openapi';

export function serveDocument(context: Context & WithPublicLimiter, document: () => Promise<object>): RequestHandler {
  let text: string | undefined;
  return async (request, response) => {
    try {
      const machine = networkOf(request.ip);
      refuseWhenFull(await context.publicLimiter.take(`${machine} ${BUCKET}`, context.clock.now()));
      text ??= JSON.stringify(await document());
      response.type('application/json').send(text);
    } catch (thrown) {
      await writeError(context, { request, response, headers: {} }, thrown);
    }
  };
}
