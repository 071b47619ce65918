/** What `login` stores, in a file that only the user can read: the address, and a key or the tokens of a grant. */
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Environment } from './operator-client.ts';
import { CommandError } from './failure.ts';

/** A login with a key. */
export interface KeyLogin {
  /** Origin of the install. */
  readonly url: string;
  readonly key: string;
}

/** A login in the browser: the tokens of an OAuth grant, which are renewed. */
export interface GrantLogin {
  /** Origin of the install. */
  readonly url: string;
  /** The client that this login registered. */
  readonly clientId: string;
  readonly accessToken: string;
  /** When the access token expires, in milliseconds since 1970. */
  readonly expiresAt: number;
  readonly refreshToken: string;
}

export type StoredLogin = KeyLogin | GrantLogin;

const GRANT_FIELDS = ['clientId', 'accessToken', 'refreshToken'] as const;

/** Where the login is stored: XDG_CONFIG_HOME, on Windows APPDATA, otherwise ~/.config. */
export function loginFile(env: Environment): string {
  const windows = process.platform === 'win32' ? env['APPDATA'] : undefined;
  const folder = env['XDG_CONFIG_HOME'] ?? windows ?? path.join(env['HOME'] ?? homedir(), '.config');
  return path.join(folder, 'carillon', 'login.json');
}

/** @returns undefined when nothing is stored */
export async function readLogin(env: Environment): Promise<StoredLogin | undefined> {
  const file = loginFile(env);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    const stored = JSON.parse(text) as Partial<KeyLogin & GrantLogin>;
    const { url, key, expiresAt } = stored;
    if (typeof url === 'string' && typeof key === 'string') return { url, key };
    const isGrant = GRANT_FIELDS.every((name) => typeof stored[name] === 'string') && typeof expiresAt === 'number';
    if (typeof url === 'string' && isGrant) return stored as GrantLogin;
  } catch {
    // Reported below.
  }
  throw new CommandError('failed', `${file} is not a login.`, 'Write it again with: carillon login');
}

/** Replaces the file in one step; it never exists with wider permissions. @returns the file */
export async function storeLogin(env: Environment, login: StoredLogin): Promise<string> {
  const file = loginFile(env);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}`;
  await rm(fresh, { force: true });
  await writeFile(fresh, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: 'wx' });
  await chmod(fresh, 0o600);
  await rename(fresh, file);
  return file;
}

/** @returns whether there was one */
export async function removeLogin(env: Environment): Promise<boolean> {
  const had = (await readLogin(env).catch(() => null)) !== undefined;
  await rm(loginFile(env), { force: true });
  return had;
}
