/** Endpoints for orchestrators: liveness, readiness, and metrics for Prometheus (docs/contract/running.md#paths). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Router, type Request } from 'express';
import type { Context } from '../services/context.ts';
import { acceptsWrites } from '../services/health/accepts-writes.ts';
import { sameSecret } from '../services/secrets.ts';
import { bearerToken } from './bearer-token.ts';
import type { WithInstruments } from './instruments.ts';
import { isLocalRequest } from './local-request.ts';

/** Measures how long the answer takes, for `/metrics`. */
export function measureDuration(
  { instruments }: WithInstruments,
  { method = '' }: IncomingMessage,
  response: ServerResponse,
): void {
  const stop = instruments.durations.startTimer({ method });
  response.on('finish', () => stop({ status: response.statusCode }));
}

/** @param isReady false while the process starts, and again from the moment it is asked to stop */
export function probes(context: Context & WithInstruments, isReady: () => boolean): Router {
  const router = Router();
  const { readRegistry } = context.instruments;

  router.get('/livez', (_request, response) => {
    response.type('text/plain').send('ok\n');
  });

  router.get('/readyz', async (_request, response) => {
    const ready = isReady() && (await acceptsWrites(context));
    response
      .status(ready ? 200 : 503)
      .type('text/plain')
      .send(ready ? 'ok\n' : 'not ready\n');
  });

  router.get('/metrics', async (request, response) => {
    if (!mayReadMetrics(context, request)) {
      response
        .status(403)
        .type('text/plain')
        .send('Metrics are open on this machine without a proxy, or with METRICS_TOKEN as a bearer token.\n');
      return;
    }
    const registry = await readRegistry();
    response.setHeader('content-type', registry.contentType);
    response.send(await registry.metrics());
  });
  return router;
}

function mayReadMetrics(context: Context, request: Request): boolean {
  const { metricsToken } = context.config;
  const presented = bearerToken(request.headers.authorization);
  if (metricsToken !== undefined && presented !== undefined) return sameSecret(presented, metricsToken);
  return isLocalRequest(request);
}
