/** Turns the lines of the log, which hold no secret any more, into records for OTLP. */
import { type Context as TraceContext, ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import type { LoggerProvider } from '@opentelemetry/sdk-logs';

type Recorder = ReturnType<LoggerProvider['getLogger']>;
type LogRecord = Parameters<Recorder['emit']>[0];

/** Severities of OTLP, by the levels of the log. */
const SEVERITIES: Readonly<Record<string, number>> = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 };

interface Line {
  readonly level: string;
  readonly time: string;
  readonly msg?: string;
  readonly trace_id?: string;
  readonly span_id?: string;
  readonly err?: { readonly type?: string; readonly message?: string; readonly stack?: string } | null;
  readonly [field: string]: unknown;
}

/** @param line JSON, as the log writes it */
export function logRecord(line: string): LogRecord {
  const { level, time, msg, trace_id, span_id, err, ...fields } = JSON.parse(line) as Line;
  return {
    timestamp: new Date(time),
    severityText: level.toUpperCase(),
    severityNumber: SEVERITIES[level] ?? 0,
    body: msg ?? '',
    attributes: { ...fields, ...exceptionOf(err) } as NonNullable<LogRecord['attributes']>,
    context: contextOf(trace_id, span_id),
  };
}

function contextOf(traceId: string | undefined, spanId: string | undefined): TraceContext {
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED });
}

/** The names of the semantic conventions for the error, and the error as the log has it. */
function exceptionOf(err: Line['err']): Record<string, unknown> {
  if (err === null || err === undefined) return {};
  const { type, message, stack } = err;
  return { err, 'exception.type': type, 'exception.message': message, 'exception.stacktrace': stack };
}
