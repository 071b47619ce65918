/** The settings of OpenTelemetry: what switches it on, and what is refused (docs/configuration.md#opentelemetry). */
import { expect, it } from 'vitest';
import { readConfig } from '../../../server/config.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };

const urls = (env: Record<string, string>) => {
  const { telemetry } = readConfig(env);
  return telemetry && { traces: telemetry.traces, metrics: telemetry.metrics, logs: telemetry.logs };
};

it('is off without an endpoint, when disabled, and when no signal is exported', () => {
  const none = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };

  expect(urls({})).toBeNull();
  expect(urls({ OTEL_SERVICE_NAME: 'bells', OTEL_TRACES_EXPORTER: 'otlp' })).toBeNull();
  expect(urls({ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toBeNull();
  expect(urls({ ...ENDPOINT, ...none })).toBeNull();
});

it('sends each signal below the endpoint, or to its own address as it is', () => {
  const base = 'http://localhost:4318/v1';

  expect(urls(ENDPOINT)).toEqual({ traces: `${base}/traces`, metrics: `${base}/metrics`, logs: `${base}/logs` });
  expect(urls({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otlp.example/a?b=c', OTEL_LOGS_EXPORTER: 'none' })).toEqual({
    traces: 'https://otlp.example/a/v1/traces?b=c',
    metrics: 'https://otlp.example/a/v1/metrics?b=c',
    logs: null,
  });
  expect(urls({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://otlp.example/api' })).toEqual({
    traces: 'https://otlp.example/api',
    metrics: null,
    logs: null,
  });
});

it('reads headers and attributes, percent-decoded, and OTEL_SERVICE_NAME before service.name', () => {
  const { telemetry } = readConfig({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a%3Db, x-scope = one',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=post%2C office',
    OTEL_SERVICE_NAME: 'bells',
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '1',
    OTEL_PROPAGATORS: 'b3',
  });

  expect(telemetry).toEqual({
    traces: 'http://localhost:4318/v1/traces',
    metrics: 'http://localhost:4318/v1/metrics',
    logs: 'http://localhost:4318/v1/logs',
    protocol: 'http/protobuf',
    headers: { authorization: 'Bearer a=b', 'x-scope': 'one' },
    compression: 'none',
    timeoutMs: 10_000,
    metricIntervalMs: 60_000,
    sampler: { name: 'parentbased_always_on', ratio: 1 },
    resource: { 'service.name': 'bells', team: 'post, office' },
    unread: ['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_PROPAGATORS'],
  });
});

it('shows neither headers nor addresses to people', () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:word@localhost:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'a=key-1234',
  };

  const shown = JSON.stringify(readConfig(env).settings);
  expect(shown).not.toContain('user:word');
  expect(shown).not.toContain('key-1234');
});

it.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'must be http/protobuf or http/json; grpc is not supported'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' }, 'must be an http:// or https:// address'],
  [
    { OTEL_EXPORTER_OTLP_HEADERS: 'a=1,secret' },
    'must be name=value pairs with commas between them; pair 2 is not one',
  ],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=%' }, 'must be name=value pairs with commas between them; pair 1 is not one'],
  [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=%0D%0Ax' }, 'must hold valid HTTP headers; pair 2 is not one'],
  [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, 'must be a number from 0 to 1'],
  [{ OTEL_EXPORTER_OTLP_TIMEOUT: '60001' }, 'must be at most 60000 milliseconds'],
  [{ OTEL_METRIC_EXPORT_INTERVAL: '0' }, 'must be a whole number of milliseconds'],
  [{ OTEL_EXPORTER_OTLP_ENDPONT: 'http://a' }, 'is not a setting; did you mean OTEL_EXPORTER_OTLP_ENDPOINT?'],
])('refuses %o', (env, message) => {
  const [name] = Object.keys(env);

  expect(() => readConfig(env as Record<string, string>)).toThrow(`${name}: ${message}`);
});
