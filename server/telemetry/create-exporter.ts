/** Sends one signal to the collector by OTLP over HTTP, and reports when the collector cannot be reached. */
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { type CompressionAlgorithm, OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { createOtlpHttpExportDelegate, httpAgentFactoryFromOptions } from '@opentelemetry/otlp-exporter-base/node-http';
import {
  type IExporterMetricsHelper,
  type ISerializer,
  JsonLogsSerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  LogsExporterMetricsHelper,
  MetricsExporterMetricsHelper,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from '@opentelemetry/otlp-transformer';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { TelemetryConfig } from '../../services/config.ts';

/** Most requests to the collector at a time, for each signal. More would only hold memory while it does not answer. */
const REQUESTS_MAX = 4;

const CONTENT_TYPES = { 'http/protobuf': 'application/x-protobuf', 'http/json': 'application/json' };

/** Receives the result of each export: null, or what went wrong. */
export type ReportExport = (problem: string | null) => void;

interface Format<Items> {
  readonly serializers: Readonly<Record<TelemetryConfig['protocol'], ISerializer<Items, unknown>>>;
  readonly helper: IExporterMetricsHelper<Items>;
}

const TRACES: Format<ReadableSpan[]> = {
  serializers: { 'http/protobuf': ProtobufTraceSerializer, 'http/json': JsonTraceSerializer },
  helper: TraceExporterMetricsHelper,
};

const METRICS: Format<ResourceMetrics> = {
  serializers: { 'http/protobuf': ProtobufMetricsSerializer, 'http/json': JsonMetricsSerializer },
  helper: MetricsExporterMetricsHelper,
};

const LOGS: Format<ReadableLogRecord[]> = {
  serializers: { 'http/protobuf': ProtobufLogsSerializer, 'http/json': JsonLogsSerializer },
  helper: LogsExporterMetricsHelper,
};

type Settings = Pick<TelemetryConfig, 'protocol' | 'headers' | 'timeoutMs' | 'compression'>;

export const spanExporter = (url: string, settings: Settings, report: ReportExport) =>
  createExporter(TRACES, url, settings, report);

export const metricExporter = (url: string, settings: Settings, report: ReportExport) =>
  createExporter(METRICS, url, settings, report);

export const logExporter = (url: string, settings: Settings, report: ReportExport) =>
  createExporter(LOGS, url, settings, report);

function createExporter<Items>(
  { serializers, helper }: Format<Items>,
  url: string,
  { protocol, headers, timeoutMs, compression }: Settings,
  report: ReportExport,
): OTLPExporterBase<Items> {
  const delegate = createOtlpHttpExportDelegate(
    {
      url,
      headers: async () => ({ ...headers, 'content-type': CONTENT_TYPES[protocol] }),
      timeoutMillis: timeoutMs,
      concurrencyLimit: REQUESTS_MAX,
      compression: compression as CompressionAlgorithm,
      agentFactory: httpAgentFactoryFromOptions({ keepAlive: true }),
    },
    serializers[protocol],
    'otlp_http_exporter',
    helper,
    undefined,
  );
  return new ReportingExporter(delegate, report);
}

class ReportingExporter<Items> extends OTLPExporterBase<Items> {
  readonly #report: ReportExport;

  constructor(delegate: ConstructorParameters<typeof OTLPExporterBase<Items>>[0], report: ReportExport) {
    super(delegate);
    this.#report = report;
  }

  override export(items: Items, done: (result: ExportResult) => void): void {
    super.export(items, (result) => {
      this.#report(result.code === ExportResultCode.SUCCESS ? null : problemOf(result.error));
      done(result);
    });
  }
}

/** Only the status or the code of the error: a collector's answer may repeat a header. */
function problemOf(error: (Error & { readonly code?: unknown }) | undefined): string {
  const { code } = error ?? {};
  if (typeof code === 'number') return `HTTP ${code}`;
  return typeof code === 'string' ? code : 'no answer';
}
