/** The context of an adapter in tests: real HTTP on loopback, a stopped clock, a session in memory. */
import { setTimeout as wait } from 'node:timers/promises';
import type {
  ConnectedAccount,
  Fetch,
  PlatformApps,
  PlatformEndpoints,
  PlatformIo,
  SendPart,
  Session,
} from '../../platforms/contract.ts';
import { PlatformFailure } from '../../platforms/contract.ts';
import { NotSentError } from '../../platforms/http.ts';
import { PLATFORM_SETTINGS } from '../../platforms/registry.ts';

/** An instant that tests move. */
export class StoppedClock {
  #ms = Date.UTC(2026, 10, 21, 9, 0, 0);
  readonly now = (): Date => new Date(this.#ms);

  advance(ms: number): void {
    this.#ms += ms;
  }
}

/** An address at which nothing listens, for every server that a platform declares. */
const NO_SERVERS = Object.fromEntries(
  PLATFORM_SETTINGS.flatMap(({ endpoints = {} }) => Object.keys(endpoints)).map((name) => [name, 'http://127.0.0.1:1']),
);

const NO_APPS = Object.fromEntries(PLATFORM_SETTINGS.flatMap(({ app }) => (app === undefined ? [] : [[app.id, null]])));

export function testIo(
  now: () => Date,
  endpoints: Partial<PlatformEndpoints> = {},
  timeoutMs = 10_000,
  apps: Partial<PlatformApps> = {},
): PlatformIo {
  return {
    fetch: loopbackFetch,
    openSocket: () => Promise.reject(new NotSentError('there is no WebSocket here')),
    now,
    sleep: async (ms, signal) => {
      await wait(ms, undefined, signal === undefined ? {} : { signal });
    },
    signal: AbortSignal.timeout(timeoutMs),
    endpoints: { ...NO_SERVERS, PUBLIC_URL: 'http://localhost:3000', ...endpoints } as PlatformEndpoints,
    apps: { ...NO_APPS, ...apps } as PlatformApps,
    mail: null,
  };
}

/** Tells a refused connection, over which nothing was sent, from one that was interrupted. */
const loopbackFetch: Fetch = async (url, init = {}) => {
  try {
    return await fetch(url, { ...init, redirect: 'manual' });
  } catch (error) {
    const cause = (error as Error).cause as { code?: string } | undefined;
    throw cause?.code === 'ECONNREFUSED' ? new NotSentError('connection refused', { cause: error }) : error;
  }
};

/** A session as the service opens it: one renewal at a time; concurrent callers get its result. */
export function sessionOf<Credential>(account: ConnectedAccount<Credential>): Session<Credential> {
  let stored = account.credential;
  let renewal: Promise<Credential> | undefined;
  return {
    credential: account.credential,
    platformAccountId: account.platformAccountId,
    handle: account.handle,
    renew: async (refresh) => {
      if (stored !== account.credential) return stored;
      renewal ??= refresh(stored, AbortSignal.timeout(10_000));
      stored = await renewal;
      return stored;
    },
  };
}

/** The head of a post, with its first attempt at `startedAt`. */
export function headPart(text: string, token: string, startedAt: Date): SendPart {
  return { step: 'head', index: 0, text, token, startedAt, prepared: null };
}

/** Kind and message of the PlatformFailure that a call throws. */
export async function failureOf(call: Promise<unknown>): Promise<{ kind: string; message: string }> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    return { kind: error.kind, message: error.message };
  }
  throw new Error('the call succeeded');
}
