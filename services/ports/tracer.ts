/**
 * Traces: how long a request, an operation, a send, a call to a platform or a delivery took, and what it belonged to.
 * server/telemetry/ implements it with OpenTelemetry; an install without a collector has {@link NO_TRACER}.
 */

/**
 * Facts of a span, by the names of the semantic conventions, or with the prefix `carillon.`. They leave the install, so
 * they hold no text of a post, no address with a path or a query, no recipient and no secret.
 */
export type SpanAttributes = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface SpanStart {
  /** One of few names: ids belong to the attributes. */
  readonly name: string;
  /** `server` for a request that arrived, `client` for one that leaves; `internal` when left out. */
  readonly kind?: 'server' | 'client' | 'internal';
  /** Value of the `traceparent` header of a request that arrived; a malformed one is ignored. */
  readonly traceparent?: string | undefined;
  readonly attributes?: SpanAttributes;
}

/** A span in progress. */
export interface Span {
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** @param type one of few names, such as an error code or an HTTP status */
  fail(type: string): void;
}

export interface Tracer {
  /** Whether spans are recorded. */
  readonly isOn: boolean;
  /** Runs work in a span, which ends with it. Spans that begin meanwhile are its children. */
  span<Result>(start: SpanStart, work: (span: Span) => Promise<Result>): Promise<Result>;
  /** Adds facts to the span that this code runs in, if it runs in one. */
  annotate(attributes: SpanAttributes): void;
  /** Headers that carry the current span to another service: `traceparent`, or none. */
  headers(): Readonly<Record<string, string>>;
  /** A listener that runs in the span in which it was made, independent of its caller. */
  bind(listener: () => void): () => void;
}

const NO_SPAN: Span = { rename: () => undefined, set: () => undefined, fail: () => undefined };

const NO_HEADERS = {};

export const NO_TRACER: Tracer = {
  isOn: false,
  span: (_start, work) => work(NO_SPAN),
  annotate: () => undefined,
  headers: () => NO_HEADERS,
  bind: (listener) => listener,
};
