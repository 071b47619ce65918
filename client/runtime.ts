/** What the client takes from the machine: time, randomness and fetch. Each can be replaced, which tests do. */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Runtime {
  /** Default: the fetch of the machine. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
  /** Gives unpredictable bytes. Default: `crypto.getRandomValues`. */
  readonly random?: (length: number) => Uint8Array;
}

export function withDefaults({
  fetch = (url, init) => globalThis.fetch(url, init),
  clock = machineClock,
  random = (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)),
}: Runtime): Required<Runtime> {
  return { fetch, clock, random };
}

/** At least 0 and below 1. */
export function randomFraction({ random }: Required<Runtime>): number {
  return new DataView(random(4).slice().buffer).getUint32(0) / 2 ** 32;
}

const machineClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      signal?.addEventListener('abort', stop, { once: true });
    }),
};
