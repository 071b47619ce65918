/** The failures of calls to platforms. */

/**
 * How a call can fail. `rejected`: refused, nothing was published. `unavailable`: not accepted for now, nothing
 * was published. `reconnect`: the credential is invalid, nothing was published. `unknown`: no response, so it may
 * be published.
 */
export type FailureKind = 'rejected' | 'unavailable' | 'reconnect' | 'unknown';

interface FailureOptions {
  readonly cause?: unknown;
  readonly retryAfterMs?: number | undefined;
}

/** The only error that an adapter throws deliberately. `message` is safe to show to the caller. */
export class PlatformFailure extends Error {
  override name = 'PlatformFailure';
  readonly kind: FailureKind;
  /** Milliseconds that the platform asked to wait, for this credential; undefined when it did not ask. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: FailureKind, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A search that the platform has answered without telling whether the post is there. To ask again tells no more. */
export class Inconclusive extends PlatformFailure {
  constructor(message: string, options: FailureOptions = {}) {
    super('unknown', message, options);
  }
}

/** While an account is being linked, no connection exists to reconnect: the refused item is the code. */
export function throwRefusal(error: unknown): never {
  const isDead = error instanceof PlatformFailure && error.kind === 'reconnect';
  throw isDead ? new PlatformFailure('rejected', error.message, { cause: error }) : error;
}
