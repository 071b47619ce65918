/**
 * An install under steady load: a web process and a worker on PostgreSQL, half of the posts sent at once and half ten seconds
 * later, each announced to a webhook. Samples memory, event loop, lateness and what is still to be delivered.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { call, connectSandboxes, postBody } from '../../bench/api.ts';
import { createFolder } from '../../bench/databases.ts';
import { type BenchProcess, startOnPostgres, startPeer } from '../../bench/processes.ts';
import { percentile } from '../../bench/row.ts';
import { type BenchDatabase, createDatabase } from '../../bench/databases.ts';

/** Posts per second. */
const RATE = 50;

const SANDBOXES = 20;
const SCHEDULED_AHEAD_MS = 10_000;
const SAMPLE_EVERY_MS = 10_000;

/** How long the last posts may take to be sent and delivered. */
const DRAIN_MS = 120_000;

/** Growth over the second half that still counts as flat, as a share of the mean. */
const FLAT_SHARE = 0.1;

/** The 99th percentile of lateness in each minute of the second half. */
const LATENESS_MAX_MS = 1_000;

const LOOPBACK = { OUTBOUND_ALLOW: '127.0.0.0/8' };

interface Sample {
  readonly atMs: number;
  readonly webMb: number;
  readonly workerMb: number;
  readonly webHeapMb: number;
  readonly workerHeapMb: number;
  /** 99th percentile of the delay of the event loop since the last sample. */
  readonly webLagMs: number;
  readonly workerLagMs: number;
  /** Posts that are sent and not yet delivered. */
  readonly undelivered: number;
}

export interface SoakResult {
  readonly minutes: number;
  readonly requests: number;
  readonly errors: readonly string[];
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly samples: readonly Sample[];
  /** 99th percentile of each minute. */
  readonly latenessP99Ms: readonly number[];
  readonly stored: Stored;
  readonly delivered: number;
}

interface Stored {
  readonly posts: number;
  readonly sent: number;
  /** Sent posts with exactly one event. */
  readonly announced: number;
  /** Calls of the sandbox, which counts repeated ones too. */
  readonly calls: number;
}

interface SoakOptions {
  readonly minutes: number;
  /** Ends the load early. */
  readonly signal: AbortSignal;
}

export async function runSoak({ minutes, signal }: SoakOptions): Promise<SoakResult> {
  await using database = await createDatabase();
  await using folder = await createFolder();
  await using receiver = await startPeer('receivers.ts', {});
  await using web = await startOnPostgres(database.url, folder.path, 'web', LOOPBACK);
  await using worker = await startOnPostgres(database.url, folder.path, 'worker', LOOPBACK);
  const slugs = await connectSandboxes(web.origin, SANDBOXES);
  await call(web.origin, '/webhooks', { url: `${receiver.origin}/soak`, events: ['post.sent'] });
  const errors: string[] = [];
  const latenciesMs: number[] = [];
  const samples: Sample[] = [];
  const began = performance.now();
  const endMs = began + minutes * 60_000;
  const sampling = sampleUntil(endMs, signal, async () => {
    const sample = await takeSample(began, { web, worker, receiver, database });
    samples.push(sample);
    console.log(describeSample(sample));
  });
  const asked = new Set<Promise<void>>();
  let requests = 0;
  for (; performance.now() < endMs && !signal.aborted; requests += 1) {
    const dueMs = began + (requests * 1000) / RATE;
    if (dueMs > performance.now()) await wait(dueMs - performance.now());
    const scheduledFor = requests % 2 === 0 ? undefined : new Date(Date.now() + SCHEDULED_AHEAD_MS);
    const request = call(web.origin, '/posts', postBody([slugs[requests % slugs.length] ?? ''], scheduledFor))
      .then(() => undefined)
      .catch((error: unknown) => void errors.push(String(error)))
      .finally(() => {
        latenciesMs.push(performance.now() - dueMs);
        asked.delete(request);
      });
    asked.add(request);
  }
  const askedMs = performance.now() - began;
  await Promise.all(asked);
  await sampling;
  const stored = await drained(database, receiver);
  return {
    minutes: Math.round(askedMs / 60_000),
    requests,
    errors,
    latencyMs: {
      p50: percentile(latenciesMs, 0.5),
      p99: percentile(latenciesMs, 0.99),
      max: percentile(latenciesMs, 1),
    },
    samples,
    latenessP99Ms: await latenessByMinute(database),
    stored,
    delivered: await receivedBy(receiver),
  };
}

async function sampleUntil(endMs: number, signal: AbortSignal, take: () => Promise<void>): Promise<void> {
  while (performance.now() + SAMPLE_EVERY_MS <= endMs && !signal.aborted) {
    await wait(SAMPLE_EVERY_MS);
    await take();
  }
}

interface Parties {
  readonly web: BenchProcess;
  readonly worker: BenchProcess;
  readonly receiver: BenchProcess;
  readonly database: BenchDatabase;
}

async function takeSample(began: number, { web, worker, receiver, database }: Parties): Promise<Sample> {
  const [webMb, workerMb, ofWeb, ofWorker, delivered] = await Promise.all([
    web.memoryMb(),
    worker.memoryMb(),
    metricsOf(web),
    metricsOf(worker),
    receivedBy(receiver),
  ]);
  const { rows } = await database.client.query<{ sent: number }>(
    `select count(*)::int as sent from events where name = 'post.sent'`,
  );
  return {
    atMs: performance.now() - began,
    webMb,
    workerMb,
    webHeapMb: ofWeb.heapMb,
    workerHeapMb: ofWorker.heapMb,
    webLagMs: ofWeb.lagMs,
    workerLagMs: ofWorker.lagMs,
    undelivered: (rows[0]?.sent ?? 0) - delivered,
  };
}

async function metricsOf({ origin }: BenchProcess): Promise<{ heapMb: number; lagMs: number }> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const value = (name: string) => Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    heapMb: value('carillon_nodejs_heap_size_used_bytes') / 1_048_576,
    lagMs: value('carillon_nodejs_eventloop_lag_p99_seconds') * 1_000,
  };
}

async function receivedBy({ origin }: BenchProcess): Promise<number> {
  const counts = (await (await fetch(origin)).json()) as Record<string, number>;
  return counts['/soak'] ?? 0;
}

/** Waits until every post is sent and delivered, or for as long as that may take. */
async function drained({ client }: BenchDatabase, receiver: BenchProcess): Promise<Stored> {
  const giveUpAt = performance.now() + DRAIN_MS;
  for (;;) {
    const { rows } = await client.query<Stored>(`
      with announced as (select subject_id, count(*) as times from events where name = 'post.sent' group by 1)
      select count(*)::int as posts, count(*) filter (where p.status = 'sent')::int as sent,
        count(*) filter (where p.status = 'sent' and a.times = 1)::int as announced,
        (select coalesce(sum(calls), 0)::int from sandbox_posts) as calls
      from posts p left join announced a on a.subject_id = p.id`);
    const [stored] = rows;
    if (stored === undefined) throw new Error('nothing was counted');
    const isDone = stored.sent === stored.posts && (await receivedBy(receiver)) >= stored.sent;
    if (isDone || performance.now() > giveUpAt) return stored;
    await wait(1_000);
  }
}

async function latenessByMinute({ client }: BenchDatabase): Promise<number[]> {
  const { rows } = await client.query<{ p99: number }>(`
    select percentile_disc(0.99) within group (order by extract(epoch from a.started_at - p.scheduled_for) * 1000)::float8 as p99
    from posts p join attempts a on a.post_id = p.id where p.scheduled_for is not null
    group by date_trunc('minute', p.scheduled_for) order by date_trunc('minute', p.scheduled_for)`);
  return rows.map(({ p99 }) => p99);
}

function describeSample({ atMs, webMb, workerMb, webLagMs, workerLagMs, undelivered }: Sample): string {
  const round = Math.round;
  return `${round(atMs / 1000)} s: web ${round(webMb)} MB, lag ${round(webLagMs)} ms; worker ${round(workerMb)} MB, lag ${round(workerLagMs)} ms; ${undelivered} undelivered`;
}

/** Growth of a value over the second half, by linear regression. */
export interface Trend {
  readonly mean: number;
  readonly growth: number;
  readonly isFlat: boolean;
}

/** @param values at equal distances over the whole time */
export function trendOf(values: readonly number[]): Trend {
  const half = values.slice(Math.floor(values.length / 2));
  const { length } = half;
  if (length < 2) throw new Error('the soak is too short: there are fewer than two samples in its second half');
  const meanX = (length - 1) / 2;
  const mean = half.reduce((sum, value) => sum + value, 0) / length;
  const covariance = half.reduce((sum, value, index) => sum + (index - meanX) * (value - mean), 0);
  const variance = half.reduce((sum, _value, index) => sum + (index - meanX) ** 2, 0);
  const growth = (covariance / variance) * (length - 1);
  return { mean, growth, isFlat: growth <= mean * FLAT_SHARE };
}

export const MEMORY = { web: 'webMb', worker: 'workerMb' } as const;

/** What was broken; empty when all held. */
export function soakViolations(result: SoakResult): string[] {
  const { requests, errors, stored, delivered, samples, latenessP99Ms } = result;
  const violations: string[] = [];
  const [first] = errors;
  if (first !== undefined) violations.push(`${errors.length} of ${requests} requests failed: ${first}`);
  for (const name of ['posts', 'sent', 'announced', 'calls'] as const) {
    if (stored[name] !== requests - errors.length)
      violations.push(`${name}: ${stored[name]} for ${requests - errors.length} answered requests`);
  }
  if (delivered < stored.sent) violations.push(`${delivered} deliveries arrived for ${stored.sent} sent posts`);
  for (const [name, key] of Object.entries(MEMORY)) {
    const { growth, mean, isFlat } = trendOf(samples.map((sample) => sample[key]));
    if (!isFlat)
      violations.push(`the memory of the ${name} process grew by ${growth.toFixed(0)} of ${mean.toFixed(0)} MB`);
  }
  const late = latenessP99Ms.slice(Math.floor(latenessP99Ms.length / 2)).filter((p99) => p99 > LATENESS_MAX_MS);
  if (late.length > 0)
    violations.push(`p99 of lateness was above ${LATENESS_MAX_MS} ms in ${late.length} minutes of the second half`);
  return violations;
}
