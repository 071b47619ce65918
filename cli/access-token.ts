/**
 * The present access token of a stored login. Only one process at a time renews it, because a refresh token is valid once: the
 * others wait for what that one stores.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { OperationProcessingError, ResponseBodyError } from 'oauth4webapi';
import { NoAnswerError } from '../client/errors.ts';
import { renewLogin } from './browser-login.ts';
import { CommandError } from './failure.ts';
import type { Io } from './io.ts';
import { type GrantLogin, loginFile, readLogin, storeLogin } from './stored-login.ts';

/** A token that expires sooner is renewed first. */
const EARLY_MS = 30_000;

/** How often a process looks whether another one has renewed the token, and how often in all. */
const LOOK_MS = 200;
const LOOKS = 100;

/** A lock that is older was left by a process that died. */
const LOCK_MS = 30_000;

/** How long a renewal may take: less than its lock lasts. */
const RENEWAL_MS = 25_000;

type Renewing = Pick<Io, 'env' | 'fetch' | 'signal' | 'clock'>;

/** What accessTokenOf has thrown. The client wraps it like an error of the request. */
const failures = new WeakSet<object>();

/** Whether accessTokenOf has thrown this error. The request that needs the token was then not sent. */
export function isTokenFailure(error: object): boolean {
  return failures.has(error);
}

/**
 * @throws CommandError notSignedIn when the grant has ended, or somebody has signed in otherwise meanwhile
 * @throws NoAnswerError when the install does not answer, or cannot now. The login stays.
 */
export async function accessTokenOf(io: Renewing, url: string): Promise<string> {
  try {
    return await presentToken(io, url);
  } catch (error) {
    if (error instanceof Error) failures.add(error);
    throw error;
  }
}

async function presentToken(io: Renewing, url: string): Promise<string> {
  for (let look = 0; look < LOOKS; look += 1) {
    const login = await presentLogin(io, url);
    if (login.expiresAt - EARLY_MS > io.clock.now().getTime()) return login.accessToken;
    const lock = `${loginFile(io.env)}.lock`;
    if (await isTaken(lock, io.clock.now().getTime())) {
      await io.clock.sleep(LOOK_MS, io.signal);
      continue;
    }
    try {
      // Another process may have renewed it between the look and the lock.
      const latest = await presentLogin(io, url);
      if (latest.refreshToken !== login.refreshToken) continue;
      io.signal.throwIfAborted();
      // Has a time limit and does not end with the command: once the install has the request, only its answer has a token that works.
      const signal = io.clock.deadline(RENEWAL_MS);
      const renewed = await renewLogin({ ...io, signal }, latest).catch((error: unknown) => {
        throw missingAnswer(url, signal, error) ?? error;
      });
      // A sign-in of the person meanwhile is newer.
      if ((await presentLogin(io, url)).refreshToken !== latest.refreshToken) continue;
      await storeLogin(io.env, renewed);
      return renewed.accessToken;
    } finally {
      await rm(lock, { force: true });
    }
  }
  throw new NoAnswerError(`No answer from ${url}: another process renews the sign-in and does not finish.`);
}

/** The error of a renewal that repeating may help; undefined when the install has answered otherwise. */
function missingAnswer(url: string, { aborted }: AbortSignal, cause: unknown): NoAnswerError | undefined {
  if (cause instanceof CommandError) return undefined;
  const status = statusOf(cause);
  const broken = networkErrorIn(cause);
  const isUnavailable = status === 429 || status >= 500;
  if (!aborted && !isUnavailable && broken === undefined) return undefined;
  const reason = isUnavailable ? `HTTP ${status}` : (broken?.message ?? `none within ${RENEWAL_MS / 1000} s`);
  return new NoAnswerError(`No answer from ${url}: ${reason}`, { cause });
}

/** The HTTP status of an answer that was no success; otherwise 0. */
function statusOf(error: unknown): number {
  if (error instanceof ResponseBodyError) return error.status;
  return error instanceof OperationProcessingError && error.cause instanceof Response ? error.cause.status : 0;
}

/** What fetch throws when a request or its answer breaks off. It may be the cause of another error. */
function networkErrorIn(thrown: unknown): TypeError | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) if (error instanceof TypeError) return error;
  return undefined;
}

async function presentLogin({ env }: Renewing, url: string): Promise<GrantLogin> {
  const login = await readLogin(env);
  if (login !== undefined && 'clientId' in login && login.url === url) return login;
  throw new CommandError('notSignedIn', `You are no longer signed in to ${url}.`, `Run: carillon login --url ${url}`);
}

/** Takes the lock. @returns whether another process has it */
async function isTaken(lock: string, now: number): Promise<boolean> {
  try {
    await writeFile(lock, String(now), { flag: 'wx', mode: 0o600 });
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const since = Number(await readFile(lock, 'utf8').catch(() => now));
  if (now - since > LOCK_MS) await rm(lock, { force: true });
  return true;
}
