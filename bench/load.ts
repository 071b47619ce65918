/** Twenty clients that send the next request as soon as they have an answer. */
import autocannon from 'autocannon';
import type { Measured } from './rounds.ts';

/** Concurrent clients. */
const CONNECTIONS = 20;

/** How long one round of load lasts. */
export const ROUND_SECONDS = 3;

/** How long a side runs before it is measured, until its code is compiled. */
export const WARM_UP_SECONDS = 5;

/** The request of each client. */
export interface Ask {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Makes it a POST. */
  readonly body?: string;
}

/** A round of load. It throws when any request was not answered with a 2xx. */
export function load(ask: Ask, seconds = ROUND_SECONDS): () => Promise<Measured> {
  return async () => {
    const { url, headers, body } = ask;
    const posted = body === undefined ? {} : { method: 'POST' as const, body };
    const result = await autocannon({ url, headers, connections: CONNECTIONS, duration: seconds, ...posted });
    if (result.errors + result.non2xx > 0)
      throw new Error(`${url}: ${result.errors} errors, ${result.non2xx} refusals`);
    return { rate: result['2xx'] / result.duration, count: result['2xx'] };
  };
}
