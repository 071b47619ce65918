/** The settings of OpenTelemetry, under the names that its specification gives them, and what they mean together. */
import { z } from 'zod';
import type { TelemetryConfig } from '../services/config.ts';
import { settingFacts as facts } from './setting.ts';
import { digits, readBy } from './setting-values.ts';

const collector = readBy((value) => {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error('must be an http:// or https:// address');
  return url;
});

const exporter = (signal: string) =>
  z
    .enum(['otlp', 'none'])
    .default('otlp')
    .register(facts, { type: 'choice', meaning: `\`none\` exports no ${signal}.` });

const endpoint = (signal: string, path: string) =>
  collector.optional().register(facts, {
    type: 'URL',
    meaning: `Address of the collector for ${signal}, used as it is. Unset: \`${path}\` below \`OTEL_EXPORTER_OTLP_ENDPOINT\`.`,
  });

/** `name=value` pairs with commas between them, each value percent-encoded. */
function parsePairs(value: string): Record<string, string> {
  const pairs = value.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(pairs.map((pair, index) => pairOf(pair, index)));
}

function pairOf(pair: string, index: number): [name: string, value: string] {
  const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
  // The value may be a secret, so the message counts.
  const problem = new Error(`must be name=value pairs with commas between them; pair ${index + 1} is not one`);
  if (name === undefined || value === undefined) throw problem;
  try {
    return [name, decodeURIComponent(value)];
  } catch {
    throw problem;
  }
}

const headers = readBy((value) => {
  const given = parsePairs(value);
  const wrong = Object.entries(given).findIndex(
    ([name, text]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[^ -~]/.test(text),
  );
  if (wrong !== -1) throw new Error(`must hold valid HTTP headers; pair ${wrong + 1} is not one`);
  return given;
});

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const milliseconds = (most: number) =>
  digits(/^[1-9]\d{0,8}$/, 'must be a whole number of milliseconds').pipe(
    z.number().max(most, `must be at most ${most} milliseconds`),
  );

export const OpenTelemetry = z.object({
  OTEL_SDK_DISABLED: z.enum(['true', 'false']).default('false').register(facts, {
    type: 'choice',
    meaning: '`true` switches OpenTelemetry off, regardless of the other variables.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.optional().register(facts, {
    type: 'URL',
    meaning:
      'Address of an OpenTelemetry [collector](guide/observability.md) that takes OTLP over HTTP, such as `http://localhost:4318`. It may be private: `OUTBOUND_ALLOW` does not apply. Unset, and no address of a signal either: OpenTelemetry is off.',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint('traces', '/v1/traces'),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint('metrics', '/v1/metrics'),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: endpoint('logs', '/v1/logs'),
  OTEL_TRACES_EXPORTER: exporter('traces'),
  OTEL_METRICS_EXPORTER: exporter('metrics'),
  OTEL_LOGS_EXPORTER: exporter('logs'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/protobuf', 'http/json'], 'must be http/protobuf or http/json; grpc is not supported')
    .default('http/protobuf')
    .register(facts, { type: 'choice', meaning: 'Format of the exports. gRPC is not supported.' }),
  OTEL_EXPORTER_OTLP_HEADERS: headers.optional().register(facts, {
    type: 'list of headers',
    range: '`name=value` with commas between, values percent-encoded',
    meaning: 'Headers of each request to the collector, such as its API key.',
  }),
  OTEL_EXPORTER_OTLP_COMPRESSION: z.enum(['none', 'gzip']).default('none').register(facts, {
    type: 'choice',
    meaning: 'Compression of the exports.',
  }),
  OTEL_EXPORTER_OTLP_TIMEOUT: milliseconds(60_000).prefault('10000').register(facts, {
    type: 'whole number',
    unit: 'milliseconds',
    range: '1 to 60,000',
    meaning: 'Time that an export may take, with its retries. Then it is dropped.',
  }),
  OTEL_METRIC_EXPORT_INTERVAL: milliseconds(3_600_000).prefault('60000').register(facts, {
    type: 'whole number',
    unit: 'milliseconds',
    range: '1 to 3,600,000',
    meaning: 'Time between two exports of metrics.',
  }),
  OTEL_SERVICE_NAME: z.string().min(1).default('carillon').register(facts, {
    type: 'text',
    meaning: 'Name of the service in traces, metrics and logs.',
  }),
  OTEL_RESOURCE_ATTRIBUTES: readBy(parsePairs).optional().register(facts, {
    type: 'list of attributes',
    range: '`name=value` with commas between, values percent-encoded',
    meaning: 'Further attributes of this install, such as `deployment.environment.name=production`.',
  }),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).default('parentbased_always_on').register(facts, {
    type: 'choice',
    meaning:
      'Which traces are recorded. With `parentbased_…` a caller that sends `traceparent` decides about its requests; choose one without if strangers call.',
  }),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/, 'must be a number from 0 to 1')
    .transform(Number)
    .prefault('1')
    .register(facts, {
      type: 'number',
      range: '0 to 1',
      meaning: 'Share of the traces that the samplers with `traceidratio` record.',
    }),
});

/** @returns null when nothing is exported */
export function telemetryConfig(
  values: z.infer<typeof OpenTelemetry>,
  env: Readonly<Record<string, string | undefined>>,
): TelemetryConfig | null {
  const base = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  const address = (path: string, own: URL | undefined, chosen: 'otlp' | 'none'): string | null => {
    if (values.OTEL_SDK_DISABLED === 'true' || chosen === 'none') return null;
    if (own !== undefined) return own.href;
    return base === undefined ? null : below(base, path);
  };
  const signals = {
    traces: address('v1/traces', values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, values.OTEL_TRACES_EXPORTER),
    metrics: address('v1/metrics', values.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, values.OTEL_METRICS_EXPORTER),
    logs: address('v1/logs', values.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT, values.OTEL_LOGS_EXPORTER),
  };
  if (Object.values(signals).every((url) => url === null)) return null;
  return {
    ...signals,
    protocol: values.OTEL_EXPORTER_OTLP_PROTOCOL,
    headers: values.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    compression: values.OTEL_EXPORTER_OTLP_COMPRESSION,
    timeoutMs: values.OTEL_EXPORTER_OTLP_TIMEOUT,
    metricIntervalMs: values.OTEL_METRIC_EXPORT_INTERVAL,
    sampler: { name: values.OTEL_TRACES_SAMPLER, ratio: values.OTEL_TRACES_SAMPLER_ARG },
    resource: { ...values.OTEL_RESOURCE_ATTRIBUTES, 'service.name': values.OTEL_SERVICE_NAME },
    unread: unreadVariables(env),
  };
}

function below(base: URL, path: string): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`;
  return url.href;
}

/** Variables of the specification that are set and do nothing here. Other programs of the machine may read them. */
function unreadVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env).filter((name) => name.startsWith('OTEL_') && env[name] && !(name in OpenTelemetry.shape));
}
