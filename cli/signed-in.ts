/** The install and the key that a command works with: from the environment, otherwise what `login` stored. */
import { type CarillonClient, type ConnectionOptions, createClient } from '../client/index.ts';
import { accessTokenOf } from './access-token.ts';
import type { Io } from './io.ts';
import { CommandError } from './failure.ts';
import { UsageError } from './operator-client.ts';
import { readLogin, type StoredLogin } from './stored-login.ts';

export type Client = CarillonClient;

/** @throws CommandError notSignedIn */
export async function signIn({ env }: Pick<Io, 'env'>): Promise<StoredLogin> {
  const { CARILLON_URL: givenUrl, CARILLON_KEY: givenKey } = env;
  const named = givenUrl === undefined || givenUrl === '' ? undefined : originOf(givenUrl, 'CARILLON_URL');
  if (givenKey !== undefined && givenKey !== '') {
    const url = named ?? (await readLogin(env))?.url;
    if (url !== undefined) return { url, key: givenKey };
    throw new UsageError('CARILLON_KEY is set without an address. Set CARILLON_URL, e.g. https://bells.example.');
  }
  const stored = await readLogin(env);
  if (stored === undefined) {
    throw new CommandError('notSignedIn', 'You are not signed in.', 'Run: carillon login --url https://bells.example');
  }
  // A stored key never goes to another install.
  if (named === undefined || named === stored.url) return stored;
  throw new CommandError(
    'notSignedIn',
    `You are signed in to ${stored.url}, and CARILLON_URL names ${named}.`,
    'Set CARILLON_KEY for it, or unset CARILLON_URL.',
  );
}

export async function clientOf(io: Io): Promise<Client> {
  return clientFor(io, await signIn(io));
}

export function clientFor(io: Io, login: StoredLogin): Client {
  const signals = (init: RequestInit) => [io.signal, ...(init.signal ? [init.signal] : [])];
  const request = (input: string, init: RequestInit) =>
    io.fetch(input, { ...init, signal: AbortSignal.any(signals(init)) });
  return createClient({ ...targetOf(io, login), fetch: request, retry: false });
}

/** The install and the credential of a login, for the client. */
export function targetOf(io: Pick<Io, 'env' | 'fetch' | 'signal' | 'clock'>, login: StoredLogin): ConnectionOptions {
  const { url } = login;
  if ('key' in login) return { url, apiKey: login.key };
  return { url, accessToken: () => accessTokenOf(io, url) };
}

/** The origin of an address. @throws UsageError */
export function originOf(address: string, name: string): string {
  // Node.js 20 has no URL.parse.
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return url.origin;
  throw new UsageError(`${name}: expected an origin such as https://bells.example, not "${address}".`);
}
