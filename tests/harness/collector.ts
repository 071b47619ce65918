/** An OpenTelemetry collector that keeps what it receives by OTLP over HTTP. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { whenOver } from './closing.ts';

/** One request to the collector. */
interface ReceivedExport {
  /** `/v1/traces`, `/v1/metrics` or `/v1/logs`. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

type Facts = Readonly<Record<string, unknown>>;

export interface CollectedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined for the first of a trace. */
  readonly parentSpanId: string | undefined;
  readonly attributes: Facts;
  /** 2 when it failed. */
  readonly status: number;
  readonly resource: Facts;
}

export interface CollectedLog {
  readonly body: string;
  readonly severityText: string;
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  readonly attributes: Facts;
}

export interface CollectedMetric {
  readonly name: string;
  readonly kind: 'gauge' | 'sum' | 'histogram';
  readonly points: readonly { readonly attributes: Facts; readonly value: unknown }[];
}

export interface Collector {
  readonly url: string;
  readonly received: readonly ReceivedExport[];
  /** Status of the answers from now on; null to leave requests without an answer. */
  answer(status: number | null): void;
  /** What was received in JSON. */
  spans(): CollectedSpan[];
  logs(): CollectedLog[];
  /** Of the last export. */
  metrics(): CollectedMetric[];
}

/** Listens until the test ends or, outside of a test, until the file ends. */
export async function startCollector(): Promise<Collector> {
  let status: number | null = 200;
  const received: ReceivedExport[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      received.push({ path: url, headers, bytes: Buffer.concat(chunks) });
      if (status !== null) response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  whenOver(async () => {
    server.closeAllConnections();
    server.close();
  });
  const bodies = (path: string) =>
    received.filter((one) => one.path === path).map(({ bytes }) => JSON.parse(bytes.toString()) as Json);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (next) => (status = next),
    spans: () => bodies('/v1/traces').flatMap(spansOf),
    logs: () => bodies('/v1/logs').flatMap(logsOf),
    metrics: () => bodies('/v1/metrics').slice(-1).flatMap(metricsOf),
  };
}

// eslint-disable-next-line typescript/no-explicit-any -- the JSON of the protocol
type Json = any;

function spansOf({ resourceSpans }: Json): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }: Json) =>
    scopeSpans.flatMap(({ spans }: Json) =>
      spans.map(({ name, kind, traceId, spanId, parentSpanId, attributes, status }: Json) => {
        const facts = { attributes: factsOf(attributes), resource: factsOf(resource.attributes) };
        return { name, kind, traceId, spanId, parentSpanId, status: status.code, ...facts };
      }),
    ),
  );
}

function logsOf({ resourceLogs }: Json): CollectedLog[] {
  return resourceLogs.flatMap(({ scopeLogs }: Json) =>
    scopeLogs.flatMap(({ logRecords }: Json) =>
      logRecords.map(({ body, severityText, traceId, spanId, attributes }: Json) => {
        return { body: body.stringValue, severityText, traceId, spanId, attributes: factsOf(attributes) };
      }),
    ),
  );
}

function metricsOf({ resourceMetrics }: Json): CollectedMetric[] {
  return resourceMetrics.flatMap(({ scopeMetrics }: Json) =>
    scopeMetrics.flatMap(({ metrics }: Json) =>
      metrics.map(({ name, gauge, sum, histogram }: Json) => {
        const kind = histogram === undefined ? (sum === undefined ? 'gauge' : 'sum') : 'histogram';
        const points = (histogram ?? sum ?? gauge).dataPoints.map(({ attributes, ...point }: Json) => {
          return { attributes: factsOf(attributes), value: point.asDouble ?? point.asInt ?? point };
        });
        return { name, kind, points };
      }),
    ),
  );
}

function factsOf(attributes: Json): Facts {
  return Object.fromEntries(attributes.map(({ key, value }: Json) => [key, plain(value)]));
}

function plain(value: Json): unknown {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(plain);
  if (value.kvlistValue !== undefined) return factsOf(value.kvlistValue.values);
  return value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue;
}
