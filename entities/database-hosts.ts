/**
 * The servers that DATABASE_URL names, and the one that the connections of this process go to. Several are tried in their
 * order, as libpq does it. Unlike there, a server that was found stays in use until it fails: connections of one process
 * must not be divided between a new primary and an old one that came back.
 */

/** What a server must be: `any` takes each one that answers. */
export type SessionTarget = 'any' | 'primary' | 'read-write';

const TARGETS: readonly string[] = ['any', 'primary', 'read-write'] satisfies readonly SessionTarget[];

/** A parsed DATABASE_URL. */
export interface DatabaseAddress {
  /** One URL with one host for each server, in order; at least one. */
  readonly urls: readonly [string, ...string[]];
  readonly target: SessionTarget;
}

/** Scheme and user, hosts, and what follows them. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^@/?#]*)(.*)$/s;

/**
 * Parses `postgres://user@a:5432,b:5433/db?target_session_attrs=primary`.
 *
 * @throws Error that says what is wrong, without the URL
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(url) ?? [];
  if (before === '') throw new Error('must begin with postgres://');
  const names = hosts.split(',');
  if (names.length > 1 && names.includes('')) throw new Error('must name a host before and after each comma');
  const [first = '', ...others] = names.map((name) => `${before}${name}${after}`);
  for (const one of names.length > 1 ? [first, ...others] : []) {
    if (!URL.canParse(one)) throw new Error('must have hosts such as a.internal:5432,b.internal:5432');
  }
  const wanted = new URLSearchParams(after.replace(/^[^?]*/, '')).get('target_session_attrs');
  const target = wanted ?? (names.length > 1 ? 'primary' : 'any');
  if (!isTarget(target)) throw new Error(`must have ${TARGETS.join(', ')} as target_session_attrs`);
  return { urls: [first, ...others], target };
}

function isTarget(text: string): text is SessionTarget {
  return TARGETS.includes(text);
}

/** The servers of one process, shared by all of its connections. */
export interface DatabaseHosts {
  readonly address: DatabaseAddress;
  /** The URL that the next connection uses. */
  current(): string;
  /** Turns to the next server, unless another connection already did. */
  leave(url: string): void;
}

export function createDatabaseHosts(address: DatabaseAddress): DatabaseHosts {
  const { urls } = address;
  let index = 0;
  const current = () => urls[index] ?? urls[0];
  return {
    address,
    current,
    leave: (url) => {
      if (url === current()) index = (index + 1) % urls.length;
    },
  };
}

/** `a.internal:5432`, for messages. */
export function hostOf(url: string): string {
  return PARTS.exec(url)?.[2] ?? '';
}
