/** Records spans with the SDK of OpenTelemetry. The current span travels with the asynchronous code, not in a global. */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import {
  type Attributes,
  type Context as TraceContext,
  ROOT_CONTEXT,
  type Span as RecordedSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as Recorder,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import type { Span, SpanAttributes, SpanStart, Tracer } from '../../services/ports/tracer.ts';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/** The ids that a log line carries. */
export interface SpanIds {
  readonly trace_id: string;
  readonly span_id: string;
}

export interface RecordingTracer extends Tracer {
  /** Of the current span; undefined outside of one. */
  ids(): SpanIds | undefined;
}

export function createTracer(recorder: Recorder): RecordingTracer {
  const current = new AsyncLocalStorage<TraceContext>();
  const currentSpan = () => trace.getSpan(current.getStore() ?? ROOT_CONTEXT);
  const currentContext = () => currentSpan()?.spanContext();

  return {
    isOn: true,
    span: (start, work) => {
      const parent = parentOf(start, current.getStore());
      const { name, kind = 'internal', attributes = {} } = start;
      const span = recorder.startSpan(name, { kind: KINDS[kind], attributes: attributes as Attributes }, parent);
      return current.run(trace.setSpan(parent, span), async () => {
        try {
          return await work(spanOf(span));
        } catch (error) {
          // The message of an error may hold anything, its name does not.
          fail(span, error instanceof Error ? error.name : 'unknown');
          throw error;
        } finally {
          span.end();
        }
      });
    },
    annotate: (attributes) => {
      currentSpan()?.setAttributes(attributes as Attributes);
    },
    headers: (): Record<string, string> => {
      const context = currentContext();
      if (context === undefined) return {};
      const flags = context.traceFlags.toString(16).padStart(2, '0');
      return { traceparent: `00-${context.traceId}-${context.spanId}-${flags}` };
    },
    bind: (listener) => AsyncResource.bind(listener),
    ids: () => {
      const context = currentContext();
      return context === undefined ? undefined : { trace_id: context.traceId, span_id: context.spanId };
    },
  };
}

/** A request begins a trace or continues that of its caller, independent of what runs on its connection. */
function parentOf({ kind, traceparent }: SpanStart, around: TraceContext | undefined): TraceContext {
  const caller = traceparent === undefined ? null : parseTraceParent(traceparent);
  if (caller !== null) return trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true });
  return kind === 'server' ? ROOT_CONTEXT : (around ?? ROOT_CONTEXT);
}

function spanOf(span: RecordedSpan): Span {
  return {
    rename: (name) => {
      span.updateName(name);
    },
    set: (attributes: SpanAttributes) => {
      span.setAttributes(attributes as Attributes);
    },
    fail: (type) => fail(span, type),
  };
}

function fail(span: RecordedSpan, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
