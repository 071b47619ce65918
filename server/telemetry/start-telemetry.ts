/**
 * Sends traces, metrics and logs to an OpenTelemetry collector. Loaded only when one is configured. Nothing waits for the
 * collector: queues are bounded, and what does not fit or cannot be sent is dropped.
 */
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Clock } from '../../services/clock.ts';
import type { TelemetryConfig } from '../../services/config.ts';
import { NO_TRACER, type Tracer } from '../../services/ports/tracer.ts';
import { logExporter, metricExporter, type ReportExport, spanExporter } from './create-exporter.ts';
import { createTracer, type RecordingTracer } from './create-tracer.ts';
import { logRecord } from './log-records.ts';
import { prometheusProducer } from './prometheus-producer.ts';

export interface Telemetry {
  readonly tracer: Tracer;
  /** Adds the ids of the current span to lines of the log, and receives them. */
  readonly lines: {
    fields(): object;
    receive(line: string): void;
  };
  /** Exports the metrics of this process from now on, and logs outages of the collector. */
  observe(observed: { readonly log: Logger; readonly metrics: () => Promise<Registry> }): void;
  /** Sends what is queued. */
  flush(): Promise<void>;
  /** Sends what is queued, for at most three seconds, and ends. Never throws. */
  stop(): Promise<void>;
}

export interface TelemetryParts {
  readonly version: string;
  /** Identifies this process. */
  readonly instanceId: string;
  readonly role: string;
  readonly clock: Clock;
}

/** How long a stop waits for the collector; it may take 14 seconds in all. */
const STOP_MS = 3_000;

/** No attribute is longer. All of ours are much shorter, except for the ids of the posts of a large request. */
const ATTRIBUTE_MAX = 256;

/** What the three signals have in common. */
interface Signal {
  flush(): Promise<unknown>;
  stop(): Promise<unknown>;
}

export function startTelemetry(config: TelemetryConfig, parts: TelemetryParts): Telemetry {
  const { clock, version } = parts;
  const scope = { name: 'carillon', version };
  const resource = resourceFromAttributes({
    'service.version': version,
    'service.instance.id': parts.instanceId,
    'carillon.role': parts.role,
    ...config.resource,
  });
  const startedAt = clock.now();
  const signals: Signal[] = [];
  const outages = createOutageLog();

  const startTraces = (url: string): RecordingTracer => {
    const exporter = spanExporter(url, config, outages.report('traces'));
    const provider = new TracerProvider({
      resource,
      sampler: samplerOf(config.sampler),
      spanLimits: { attributeValueLengthLimit: ATTRIBUTE_MAX },
      spanProcessors: [new BatchSpanProcessor({ exporter })],
    });
    signals.push({ flush: () => provider.forceFlush(), stop: () => provider.shutdown() });
    return createTracer(provider.getTracer(scope.name, version));
  };

  const startLogs = (url: string) => {
    const exporter = logExporter(url, config, outages.report('logs'));
    const provider = new LoggerProvider({ resource, processors: [new BatchLogRecordProcessor({ exporter })] });
    signals.push({ flush: () => provider.forceFlush(), stop: () => provider.shutdown() });
    return provider.getLogger(scope.name, version);
  };

  const startMetrics = (url: string, read: () => Promise<Registry>) => {
    const reader = new PeriodicExportingMetricReader({
      exporter: metricExporter(url, config, outages.report('metrics')),
      exportIntervalMillis: config.metricIntervalMs,
      exportTimeoutMillis: Math.min(config.metricIntervalMs, config.timeoutMs),
    });
    reader.setMetricProducer(prometheusProducer({ resource, scope, startedAt, now: () => clock.now(), read }));
    signals.push({ flush: () => reader.forceFlush(), stop: () => reader.shutdown() });
  };

  const tracer = config.traces === null ? null : startTraces(config.traces);
  const recorder = config.logs === null ? null : startLogs(config.logs);
  const all = (act: (signal: Signal) => Promise<unknown>) => Promise.allSettled(signals.map(act));
  return {
    tracer: tracer ?? NO_TRACER,
    lines: {
      fields: () => tracer?.ids() ?? {},
      receive: (line) => recorder?.emit(logRecord(line)),
    },
    observe: ({ log, metrics }) => {
      outages.logTo(log);
      if (config.metrics !== null) startMetrics(config.metrics, metrics);
    },
    flush: async () => void (await all((signal) => signal.flush())),
    stop: async () => {
      const over = new AbortController();
      const late = clock.sleep(STOP_MS, over.signal).catch(() => undefined);
      await Promise.race([all((signal) => signal.stop()), late]);
      over.abort();
    },
  };
}

function samplerOf({ name, ratio }: TelemetryConfig['sampler']): Sampler {
  const root = name.endsWith('always_on')
    ? new AlwaysOnSampler()
    : name.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** One line when exports begin to fail, and one when they work again: a line for each would be a loop. */
function createOutageLog(): { report(signal: string): ReportExport; logTo(log: Logger): void } {
  let log: Logger | undefined;
  return {
    report: (signal) => {
      let isFailing = false;
      return (problem) => {
        if ((problem !== null) === isFailing) return;
        isFailing = problem !== null;
        if (log === undefined) return;
        if (isFailing) log.warn({ signal, problem }, 'telemetry could not be exported');
        else log.info({ signal }, 'telemetry is exported again');
      };
    },
    logTo: (given) => {
      log = given;
    },
  };
}
