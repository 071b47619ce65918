/** The metrics of a process, once for `/metrics` and for OTLP (docs/operations.md#metrics). */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { statement } from '../entities/statement.ts';
import { PLATFORM_IDS } from '../platforms/registry.ts';
import type { WithBackups } from '../services/backups/backup-schedule.ts';
import type { Clock } from '../services/clock.ts';
import type { Context } from '../services/context.ts';
import { acceptsWrites } from '../services/health/accepts-writes.ts';
import { withinDatabaseTimeout } from '../services/health/database-timeout.ts';
import { readLoops } from '../services/health/read-loops.ts';
import type { WithStartup } from '../services/health/startup.ts';
import type { Counters } from '../services/ports/counters.ts';
import type { WithSender } from '../services/sending/post-sender.ts';

export interface Instruments {
  readonly counters: Counters;
  /** Upper bounds of the buckets are in seconds. */
  readonly durations: Histogram<'method' | 'status'>;
  readonly registry: Registry;
  /** The registry with the measures of the process. They begin with the first call, because they cost. */
  readonly readRegistry: () => Promise<Registry>;
}

/** The metrics of this process. */
export interface WithInstruments {
  readonly instruments: Instruments;
}

/** Upper bounds, in seconds, of the request-duration buckets. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** How often the delay of the event loop is measured, once anyone reads the metrics. */
const LOOP_DELAY_PRECISION_MS = 10;

// A post whose platform has asked to wait is due when that time ends, as for the workers that claim it.
const readBacklog = statement('read how much due work waits', {
  parameters: { now: 'timestamptz' },
  result: { posts: 'int', oldest: 'float8', deliveries: 'int', failing: 'int' },
  sql: ({ now }) => `
    select due.posts, due.oldest,
      (select count(*)::int from (select 1 from deliveries
        where status = 'pending' and not paused and next_attempt_at <= ${now} limit 100000) as due) as deliveries,
      (select count(*)::int from webhooks
        where failing_since is not null and disabled_at is null and deleted_at is null) as failing
    from (select count(*)::int as posts,
        coalesce(extract(epoch from ${now} - min(greatest(p.scheduled_for, c.backoff_until))), 0)::float8 as oldest
      from posts p join connections c on c.id = p.connection_id
      where p.status = 'scheduled' and not p.held and p.scheduled_for <= ${now}
        and (c.backoff_until is null or c.backoff_until <= ${now})) due`,
});

export function createInstruments(clock: Clock): Instruments {
  const registry = new Registry();
  let measuring: Promise<void> | undefined;
  const registers = [registry];
  const sends = new Counter({
    name: 'carillon_sends_total',
    help: 'Sends whose outcome is stored, by platform and outcome: sent, or the error code of the post.',
    labelNames: ['platform', 'outcome'],
    registers,
  });
  const deliveries = new Counter({
    name: 'carillon_delivery_attempts_total',
    help: 'Attempts at deliveries to webhooks by outcome: delivered or failed.',
    labelNames: ['outcome'],
    registers,
  });
  const disabled = new Counter({
    name: 'carillon_webhooks_disabled_total',
    help: 'Webhooks that were disabled because their deliveries failed for days.',
    registers,
  });
  // A rate needs a value before the first event.
  for (const platform of PLATFORM_IDS)
    for (const outcome of ['sent', 'outcome_unknown']) sends.inc({ platform, outcome }, 0);
  for (const outcome of ['delivered', 'failed']) deliveries.inc({ outcome }, 0);
  return {
    registry,
    readRegistry: async () => {
      await (measuring ??= measureProcess(clock, registry));
      return registry;
    },
    durations: new Histogram({
      name: 'carillon_request_duration_seconds',
      help: 'Duration of HTTP requests by method and status.',
      labelNames: ['method', 'status'],
      buckets: DURATION_BUCKETS,
      registers,
    }),
    counters: {
      countSend: (platform, outcome) => sends.inc({ platform, outcome }),
      countDelivery: (outcome) => deliveries.inc({ outcome }),
      countDisabledWebhooks: (count) => disabled.inc(count),
    },
  };
}

/** Adds the metrics that are read from the state of the process and of the database. */
export function observeProcess(context: Context & WithSender & WithStartup & WithInstruments & WithBackups): void {
  const { registry } = context.instruments;
  const backlog = readTogether(() =>
    withinDatabaseTimeout(context, readBacklog(context.db.queries, { now: context.clock.now() })),
  );
  const gauge = (name: string, help: string, read: () => Promise<number> | number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read());
      },
    });
  const fromBacklog = (field: 'posts' | 'oldest' | 'deliveries' | 'failing') => async () =>
    // The other metrics are needed most when the database is down.
    (await backlog())?.[0]?.[field] ?? Number.NaN;
  gauge('carillon_ready', 'Whether the start has ended and the database accepts writes: 1 or 0.', async () =>
    Number(context.startup.hasEnded && (await acceptsWrites(context))),
  );
  gauge('carillon_sends_in_flight', 'Sends in progress in this process.', () => context.sends.inFlight);
  gauge('carillon_posts_overdue', 'Scheduled posts that are due and not claimed yet.', fromBacklog('posts'));
  gauge('carillon_posts_overdue_seconds', 'For how long the first of them has been due.', fromBacklog('oldest'));
  gauge('carillon_deliveries_overdue', 'Deliveries that are due and not claimed yet.', fromBacklog('deliveries'));
  gauge('carillon_webhooks_failing', 'Webhooks whose latest attempt failed.', fromBacklog('failing'));
  if (context.config.backups.schedule !== null) {
    gauge(
      'carillon_backup_newest_timestamp_seconds',
      'Instant of the newest scheduled backup.',
      () => (context.backups.state()?.newestAt?.getTime() ?? Number.NaN) / 1_000,
    );
  }
  registry.registerMetric(
    new Gauge({
      name: 'carillon_worker_loop_late',
      help: 'Whether a loop of the workers has not succeeded in time, in any process: 1 or 0.',
      labelNames: ['loop'],
      registers: [],
      async collect() {
        const loops = await readLoops(context);
        this.reset();
        for (const { name, isLate } of loops ?? []) this.set({ loop: name }, Number(isLate));
      },
    }),
  );
}

/** One query for the metrics that are collected together. */
function readTogether<Answer>(read: () => Promise<Answer>): () => Promise<Answer> {
  let reading: Promise<Answer> | undefined;
  return () =>
    (reading ??= read().finally(() => {
      reading = undefined;
    }));
}

/** The delay of the event loop is measured by a timer that wakes the process 100 times a second. */
async function measureProcess(clock: Clock, registry: Registry): Promise<void> {
  collectDefaultMetrics({
    register: registry,
    prefix: 'carillon_',
    eventLoopMonitoringPrecision: LOOP_DELAY_PRECISION_MS,
  });
  // The first answer has a value too.
  await clock.sleep(2 * LOOP_DELAY_PRECISION_MS);
}
