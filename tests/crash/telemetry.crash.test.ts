/** Telemetry of real processes: complete at a stop, and no obstacle to one (docs/guide/observability.md). */
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../harness/free-port.ts';
import { startCollector } from '../harness/collector.ts';
import { post, SANDBOX } from './posts.ts';
import { ENGINE, newInstall } from './server-process.ts';

it(`sends all signals when it stops, from one process (${ENGINE})`, async () => {
  const collector = await startCollector();
  const install = await newInstall({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: 'bells',
    OTEL_PROPAGATORS: 'b3',
  });
  const server = await install.start();
  onTestFinished(() => void server.kill9());
  const { postId } = await post(server, SANDBOX, 'Ding');
  const ended = await server.stop();

  const send = collector.spans().find(({ attributes }) => attributes['carillon.post.id'] === postId);
  const lines = server.log();
  expect(ended).toMatchObject({ code: 0, signal: null });
  expect(send?.resource).toMatchObject({ 'service.name': 'bells', 'carillon.role': 'all' });
  expect(collector.logs().map(({ body }) => body)).toContain('ready');
  expect(collector.metrics().map(({ name }) => name)).toContain('carillon_sends_total');
  expect(lines).toContainEqual(
    expect.objectContaining({
      msg: 'variables of OpenTelemetry are set that have no effect',
      variables: ['OTEL_PROPAGATORS'],
    }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'request', path: '/api/v2/posts', trace_id: send?.traceId }),
  );
});

it(`stops within its time when the collector is gone or does not answer (${ENGINE})`, async () => {
  const silent = await startCollector();
  silent.answer(null);
  const install = await newInstall({ OTEL_EXPORTER_OTLP_ENDPOINT: silent.url });
  const slow = await install.start();
  await post(slow, SANDBOX, 'Ding');
  const slowEnd = await slow.stop();
  const gone = await install.start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` });
  await post(gone, SANDBOX, 'Dong');
  const goneEnd = await gone.stop();

  for (const { code, tookMs } of [slowEnd, goneEnd]) {
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(14_000);
  }
  const outages = gone.log().filter(({ msg }) => msg === 'telemetry could not be exported');
  expect(outages.length).toBeLessThanOrEqual(3);
});
