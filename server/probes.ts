/** Endpoints for orchestrators: liveness, readiness, and metrics for Prometheus (docs/contract/running.md#paths). */
import { Router, type Request } from 'express';
import { Gauge, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { statement } from '../entities/statement.ts';
import type { Context } from '../services/context.ts';
import { sameSecret } from '../services/secrets.ts';
import { bearerToken } from './bearer-token.ts';
import { isLocalRequest } from './local-request.ts';
import type { WithSender } from '../services/sending/post-sender.ts';

/** Upper bounds, in seconds, of the request-duration buckets. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const countOverdue = statement('count overdue posts', {
  parameters: { now: 'timestamptz' },
  result: { overdue: 'int' },
  sql: ({ now }) => `
    select count(*)::int as overdue from posts where status = 'scheduled' and not held and scheduled_for <= ${now}`,
});

const ping = statement('check that the database answers', {
  result: { one: 'int' },
  sql: () => 'select 1 as one',
});

/** @param isReady false while the process starts, and again from the moment it is asked to stop */
export function probes(context: Context & WithSender, isReady: () => boolean): Router {
  const router = Router();
  const registry = createRegistry(context);
  const durations = new Histogram({
    name: 'carillon_request_duration_seconds',
    help: 'Duration of HTTP requests by method and status.',
    labelNames: ['method', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });

  router.use((request, response, next) => {
    const stop = durations.startTimer({ method: request.method });
    response.on('finish', () => stop({ status: response.statusCode }));
    next();
  });

  router.get('/livez', (_request, response) => {
    response.type('text/plain').send('ok\n');
  });

  router.get('/readyz', async (_request, response) => {
    const ready = isReady() && (await answers(context));
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
    response.setHeader('content-type', registry.contentType);
    response.send(await registry.metrics());
  });
  return router;
}

function createRegistry(context: Context & WithSender): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'carillon_' });
  registry.registerMetric(
    new Gauge({
      name: 'carillon_sends_in_flight',
      help: 'Sends in progress in this process.',
      registers: [],
      collect() {
        this.set(context.sends.inFlight);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'carillon_posts_overdue',
      help: 'Scheduled posts that are due and not claimed yet.',
      registers: [],
      async collect() {
        // The other metrics are needed most when the database is down.
        const rows = await countOverdue(context.db.em(), { now: context.clock.now() }).catch(() => []);
        this.set(rows[0]?.overdue ?? Number.NaN);
      },
    }),
  );
  return registry;
}

async function answers(context: Context): Promise<boolean> {
  return ping(context.db.em()).then(
    () => true,
    () => false,
  );
}

function mayReadMetrics(context: Context, request: Request): boolean {
  const { metricsToken } = context.config;
  const presented = bearerToken(request.headers.authorization);
  if (metricsToken !== undefined && presented !== undefined) return sameSecret(presented, metricsToken);
  return isLocalRequest(request);
}
