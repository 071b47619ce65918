/**
 * Sends webhook deliveries. Unlike the fetch of outbound.ts it keeps connections open, because a repeated delivery does
 * no harm. It finishes with the status line, because the rest of the answer is not needed.
 */
import type { LookupAddress } from 'node:dns';
import { lookup as resolve } from 'node:dns/promises';
import { isIP } from 'node:net';
import { NotSentError } from '../platforms/http.ts';
import type { Clock } from '../services/clock.ts';
import type { ReceiverAnswer, Receivers } from '../services/webhooks/receivers.ts';
import { parseAllowList } from './outbound-addresses.ts';
import { connectFailureMessage, guardedConnector, type Lookup, usableAddresses } from './outbound-connect.ts';
import { createConnections } from './receiver-connections.ts';
import { postOnce, type PostResult } from './receiver-post.ts';

interface ReceiversOptions {
  /** Networks of OUTBOUND_ALLOW. */
  readonly allow: readonly string[];
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Milliseconds from the lookup to the status line. Default 5,000 (docs/contract/webhooks.md#success). */
  readonly timeoutMs?: number;
  /** Name resolution. Default: that of the system. */
  readonly lookup?: Lookup;
}

/** `close` aborts all deliveries in progress. */
export function createReceivers(options: ReceiversOptions): Receivers & { close(): void } {
  const { timeoutMs = 5_000, lookup = (hostname: string) => resolve(hostname, { all: true }) } = options;
  const allow = parseAllowList(options.allow);
  const connections = createConnections(guardedConnector({ allow, connectTimeoutMs: timeoutMs, lookup }));

  async function refusal(address: URL): Promise<string | null> {
    const host = address.hostname.replace(/^\[|\]$/g, '');
    const expired = new AbortController();
    try {
      const addresses = await Promise.race([addressesOf(host, lookup), tooLate(host, timeoutMs, expired.signal)]);
      usableAddresses(host, addresses, address.protocol === 'https:', allow);
      return null;
    } catch (error) {
      return error instanceof NotSentError ? error.message : connectFailureMessage(host, error);
    } finally {
      expired.abort();
    }
  }

  async function post(address: URL, headers: Readonly<Record<string, string>>, body: string): Promise<ReceiverAnswer> {
    const startedAt = options.clock.elapsed();
    for (;;) {
      const left = Math.max(1, timeoutMs - (options.clock.elapsed() - startedAt));
      const result = await postOnce({ address, headers, body, connections, timeoutMs: left });
      // The other side may close an idle connection at any time. No answer arrived on it, so the next request still
      // belongs to the same attempt. A new connection gets no second try.
      if (!('stale' in result)) return answerOf(address.hostname, result, timeoutMs);
    }
  }

  return { refusal, post, close: connections.close };
}

async function addressesOf(host: string, lookup: Lookup): Promise<readonly LookupAddress[]> {
  const family = isIP(host);
  return family === 0 ? lookup(host) : [{ address: host, family }];
}

function tooLate(host: string, ms: number, over: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const late = () => reject(new NotSentError(`${host} could not be looked up within ${ms / 1000} seconds.`));
    const timer = setTimeout(late, ms);
    over.addEventListener('abort', () => clearTimeout(timer));
  });
}

function answerOf(host: string, result: Exclude<PostResult, { stale: true }>, timeoutMs: number): ReceiverAnswer {
  if ('status' in result) return result;
  if ('timedOut' in result) {
    return { status: null, problem: `The receiver did not answer within ${timeoutMs / 1000} seconds.` };
  }
  if ('invalid' in result) return { status: null, problem: 'The receiver sent an invalid HTTP response.' };
  return { status: null, problem: failureMessage(host, result.error, result.connected) };
}

function failureMessage(host: string, error: Error, connected: boolean): string {
  if (error instanceof NotSentError) return error.message;
  if (!connected) return connectFailureMessage(host, error);
  return 'The receiver closed the connection without an answer.';
}
