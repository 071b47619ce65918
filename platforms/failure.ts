/** The failures of calls to platforms. */

/**
 * How a call can fail. `rejected`: refused, nothing was published. `unavailable`: not accepted for now, nothing
 * was published. `reconnect`: the credential is invalid, nothing was published. `unknown`: no response, so it may
 * be published.
 */
export type FailureKind = 'rejected' | 'unavailable' | 'reconnect' | 'unknown';

/** The only error that an adapter throws deliberately. `message` is safe to show to the caller. */
export class PlatformFailure extends Error {
  override name = 'PlatformFailure';
  readonly kind: FailureKind;
  /** Milliseconds that the platform asked to wait, for this credential; undefined when it did not ask. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: FailureKind,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** While an account is being linked, no connection exists to reconnect: the refused item is the code. */
export function throwRefusal(error: unknown): never {
  const isDead = error instanceof PlatformFailure && error.kind === 'reconnect';
  throw isDead ? new PlatformFailure('rejected', error.message, { cause: error }) : error;
}
