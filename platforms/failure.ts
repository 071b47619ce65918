/** How calls to platforms fail. */

/**
 * How a call can fail. `rejected`: refused, nothing is up. `unavailable`: not taken for now, nothing
 * is up. `reconnect`: the login is dead, nothing is up. `unknown`: no answer, so it may be up.
 */
export type FailureKind = 'rejected' | 'unavailable' | 'reconnect' | 'unknown';

/** The only error an adapter throws on purpose. `message` is safe to show to the caller. */
export class PlatformFailure extends Error {
  override name = 'PlatformFailure';
  readonly kind: FailureKind;
  /** For how many milliseconds the platform asked to be left alone, on this login; undefined when it did not. */
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

/** While an account is being linked nothing can be reconnected: what is refused is the code. */
export function throwRefusal(error: unknown): never {
  const isDead = error instanceof PlatformFailure && error.kind === 'reconnect';
  throw isDead ? new PlatformFailure('rejected', error.message, { cause: error }) : error;
}
