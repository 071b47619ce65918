/** Metrics by OTLP: the metrics of `/metrics`, under the same names, with the same labels (docs/operations.md#metrics). */
import { expect, it } from 'vitest';
import { startCollector } from '../../harness/collector.ts';
import { makePost } from '../../harness/posts.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const DAY_MS = 86_400_000;

const collector = await startCollector();
const world = await startWorld({
  env: {
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/v1/metrics`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_METRIC_EXPORT_INTERVAL: '3600000',
  },
});

const readMetrics = async () => (await fetch(`${world.url}/metrics`)).text();

/** The value of a series of `/metrics`; undefined when there is none. */
async function valueOf(line: string): Promise<number | undefined> {
  const found = (await readMetrics()).split('\n').find((one) => one.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length));
}

const countsOf = (value: unknown) => (value as { readonly bucketCounts: readonly number[] }).bucketCounts;

it('are those of /metrics', async () => {
  await world.runDue();
  await world.rest('GET /posts?limit=1');
  await makePost(world, world.sandboxSlug);
  await world.flushTelemetry();

  const exported = collector.metrics();
  const types = [...(await readMetrics()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => ({ name, type }));
  const kinds = { counter: 'sum', gauge: 'gauge', histogram: 'histogram' };
  // `/metrics` also names metrics of the process that have no value yet.
  const expected = types
    .map(({ name, type }) => ({ name, kind: kinds[type as keyof typeof kinds] }))
    .filter(({ name }) => exported.some((metric) => metric.name === name) || !name?.startsWith('carillon_nodejs_'));
  expect(exported.map(({ name, kind }) => ({ name, kind }))).toEqual(expected);
  expect(exported.length).toBeGreaterThan(30);
  const sends = exported.find(({ name }) => name === 'carillon_sends_total');
  expect(sends?.points).toContainEqual({ attributes: { platform: 'sandbox', outcome: 'sent' }, value: 1 });
  expect(sends?.points).toContainEqual({ attributes: { platform: 'sandbox', outcome: 'outcome_unknown' }, value: 0 });
  const durations = exported.find(({ name }) => name === 'carillon_request_duration_seconds');
  const posted = durations?.points.find(({ attributes }) => attributes['method'] === 'POST');
  expect(posted).toMatchObject({
    attributes: { method: 'POST', status: '200' },
    value: {
      count: 1,
      explicitBounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      bucketCounts: { length: 13 },
    },
  });
  expect(countsOf(posted?.value).reduce((sum, count) => sum + count, 0)).toBe(1);
  expect(collector.received.map(({ path }) => path)).toEqual(['/v1/metrics']);
});

it('count each outcome of a send', async () => {
  await makePost(world, world.sandboxSlug, { text: '[[reject]] refused' });
  await makePost(world, world.sandboxSlug, { text: '[[lost]] lost' });

  expect(await valueOf('carillon_sends_total{platform="sandbox",outcome="platform_rejected"}')).toBe(1);
});

it('tell how long due posts have waited, and how many deliveries wait', async () => {
  const receiver = await startReceiver(503);
  await registerWebhook(world, receiver.url);
  await makePost(world, world.sandboxSlug, {
    scheduledFor: new Date(world.clock.now().getTime() + 60_000).toISOString(),
  });
  await makePost(world, world.sandboxSlug);
  await world.runDue();
  world.clock.advance(90_000);

  expect(await valueOf('carillon_posts_overdue')).toBe(1);
  expect(await valueOf('carillon_posts_overdue_seconds')).toBe(30);
  expect(await valueOf('carillon_deliveries_overdue')).toBe(1);
  expect(await valueOf('carillon_webhooks_failing')).toBe(1);
  expect(await valueOf('carillon_delivery_attempts_total{outcome="failed"}')).toBe(1);
  await world.runDue();
  expect(await valueOf('carillon_posts_overdue')).toBe(0);
  expect(await valueOf('carillon_posts_overdue_seconds')).toBe(0);
});

it('count the webhooks that were disabled', async () => {
  const receiver = await startReceiver(503);
  await registerWebhook(world, receiver.url);
  for (let days = 0; days < 4; days += 1) {
    await makePost(world, world.sandboxSlug);
    await world.runDue();
    await world.advance(DAY_MS);
  }

  expect(await valueOf('carillon_webhooks_disabled_total')).toBeGreaterThanOrEqual(1);
});

it('say which loops of the workers are late', async () => {
  await world.runDue();
  expect(await valueOf('carillon_worker_loop_late{loop="scheduledPosts"}')).toBe(0);
  world.clock.advance(DAY_MS);

  expect(await valueOf('carillon_worker_loop_late{loop="scheduledPosts"}')).toBe(1);
  expect(await valueOf('carillon_ready')).toBe(1);
});
