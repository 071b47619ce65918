/** Time, passed to every part of the app. */

export interface Clock {
  /** The current instant. */
  now(): Date;
  /** Milliseconds of real time since a fixed instant, to measure how long something takes; never moves back. */
  elapsed(): number;
  /** Resolves after `ms` milliseconds of real time; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Aborts after `ms` milliseconds of real time, or with `parent`. */
  deadline(ms: number, parent?: AbortSignal): AbortSignal;
}

/** Randomness, passed to every part of the app. */
export interface Random {
  /** `length` unpredictable bytes. */
  bytes(length: number): Buffer;
  /** A new UUIDv7: ids made later sort later, so newest-first lists page on the primary key. */
  uuid(): string;
}
