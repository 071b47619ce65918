/** A collector that is away, slow or refuses costs nothing but its telemetry (docs/guide/observability.md). */
import { expect, it } from 'vitest';
import { startCollector } from '../../harness/collector.ts';
import { freePort } from '../../harness/free-port.ts';
import { makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const SIGNALS = { OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none', OTEL_EXPORTER_OTLP_TIMEOUT: '200' };

const outagesIn = (lines: readonly string[]) =>
  lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.startsWith('telemetry '));

it('publishes without a collector, and logs one line, however many exports fail', async () => {
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const world = await startWorld({ logLevel: 'warn', env: { ...SIGNALS, OTEL_EXPORTER_OTLP_ENDPOINT: nowhere } });
  for (let times = 0; times < 3; times += 1) {
    expect(await makePost(world, world.sandboxSlug)).toMatchObject({ status: 'sent' });
    await world.flushTelemetry();
  }

  expect(outagesIn(world.logged)).toMatchObject([
    { level: 'warn', msg: 'telemetry could not be exported', signal: 'traces', problem: 'ECONNREFUSED' },
  ]);
});

it('logs when a collector that refused takes exports again', async () => {
  const collector = await startCollector();
  const env = {
    ...SIGNALS,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-token=a%20secret',
  };
  const world = await startWorld({ logLevel: 'info', env });
  collector.answer(401);
  await world.rest('GET /posts');
  await world.flushTelemetry();
  collector.answer(200);
  await world.rest('GET /posts');
  await world.flushTelemetry();

  expect(outagesIn(world.logged)).toMatchObject([
    { level: 'warn', msg: 'telemetry could not be exported', signal: 'traces', problem: 'HTTP 401' },
    { level: 'info', msg: 'telemetry is exported again', signal: 'traces' },
  ]);
  expect(collector.received[0]?.headers['x-token']).toBe('a secret');
  expect(world.logged.join('')).not.toContain('a secret');
});

it('drops spans beyond a bounded queue while the collector does not answer, and ends in time', async () => {
  const collector = await startCollector();
  collector.answer(null);
  const env = { ...SIGNALS, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_TIMEOUT: '60000' };
  const world = await startWorld({ env });
  const { tracer, clock } = world.context;
  for (let spans = 0; spans < 5_000; spans += 1) await tracer.span({ name: 'one of many' }, async () => undefined);
  const began = clock.elapsed();
  await world.close();

  const sent = collector.received.reduce(
    (sum, { bytes }) => sum + bytes.toString('latin1').split('one of many').length - 1,
    0,
  );
  expect(sent).toBeLessThanOrEqual(2_048 + 512);
  expect(clock.elapsed() - began).toBeLessThan(10_000);
});

it.each([
  [{ OTEL_SDK_DISABLED: 'true' }],
  [{ OTEL_TRACES_EXPORTER: 'none' }],
  [{ OTEL_TRACES_SAMPLER: 'always_off' }],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }],
])('sends no trace with %o', async (env) => {
  const collector = await startCollector();
  const world = await startWorld({ env: { ...SIGNALS, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env } });
  await world.rest('GET /posts');
  await world.flushTelemetry();

  expect(collector.received).toEqual([]);
});

it('sends protobuf unless JSON is asked for, below the path of the endpoint', async () => {
  const collector = await startCollector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/otlp/`, OTEL_EXPORTER_OTLP_COMPRESSION: 'none' };
  const world = await startWorld({ logLevel: 'info', env });
  await world.rest('GET /posts');
  await world.flushTelemetry();

  const paths = collector.received.map(({ path }) => path).toSorted();
  expect(paths).toEqual(['/otlp/v1/logs', '/otlp/v1/metrics', '/otlp/v1/traces']);
  for (const { headers, bytes, path } of collector.received) {
    expect(headers['content-type']).toBe('application/x-protobuf');
    expect(bytes[0]).toBe(0x0a);
    if (path.endsWith('traces')) expect(bytes.includes('GET /api/v2/posts')).toBe(true);
    expect(bytes.includes('carillon')).toBe(true);
  }
});
