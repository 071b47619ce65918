/**
 * What a key or an OAuth grant is limited to. What is made under it is limited at least as much: this is the one place
 * that derives the limits of a key from those of its maker (decision 0068).
 */
import { ServiceError } from '../../errors/service-error.ts';
import { isScope, SCOPES, type Scope } from './scopes.ts';

export interface Limits {
  /** The one profile that is reached; null reaches the whole account. */
  readonly profileId: string | null;
  /** In test mode only sandbox connections are reached, and posts are made in test mode. */
  readonly mode: 'live' | 'test';
  /** The only scopes there are; null for all of them. */
  readonly scopes: ReadonlySet<Scope> | null;
}

/** What is asked for a key; scopes that are left out are those of the maker. */
export interface WantedLimits {
  readonly profileId: string;
  readonly mode: 'live' | 'test';
  readonly scopes?: readonly Scope[] | undefined;
}

/**
 * The limits of a key that `maker` makes. That the maker reaches the profile is checked where the profile is held.
 *
 * @throws ServiceError forbidden when more is asked for than the maker has
 */
export function limitsWithin(maker: Limits, { profileId, mode, scopes }: WantedLimits): Limits {
  if (maker.mode === 'test' && mode === 'live') {
    throw new ServiceError('forbidden', 'type: a test key mints test keys only, not live; use a live key.');
  }
  const beyond = (scopes ?? []).filter((scope) => maker.scopes !== null && !maker.scopes.has(scope));
  if (beyond.length > 0) {
    throw new ServiceError('forbidden', `scopes: the key or agent that mints has no ${beyond.join(', ')} to pass on.`);
  }
  return { profileId, mode, scopes: scopes === undefined ? maker.scopes : new Set(scopes) };
}

/** Scopes as they are stored and shown: in the order of the table, null for all. */
export function scopeList(scopes: ReadonlySet<Scope> | null): Scope[] | null {
  return scopes === null ? null : (Object.keys(SCOPES) as Scope[]).filter((scope) => scopes.has(scope));
}

/** @param stored as a driver gives an array that was selected as JSON */
export function scopesOf(stored: string | readonly string[] | null): ReadonlySet<Scope> | null {
  if (stored === null) return null;
  const names = typeof stored === 'string' ? (JSON.parse(stored) as string[]) : stored;
  return new Set(names.filter(isScope));
}
