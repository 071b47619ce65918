/** The addresses of the connections: filters of the list, the choice of what to connect, and the session to report on. */
import { oneOfIn, present, textIn } from '../../data/search.ts';
import { HEALTHS, type Health } from './health.ts';

export interface ConnectionsSearch {
  /** Words of slug, handle or description. */
  readonly q?: string;
  readonly platform?: string;
  /** Id of a profile, or `own`. */
  readonly profile?: string;
  readonly health?: Health;
  /** The connect session from which the browser has come back. */
  readonly connectSessionId?: string;
}

/** Filters that change; undefined removes one. */
export type FilterChanges = { readonly [Name in keyof ConnectionsSearch]: ConnectionsSearch[Name] | undefined };

/** The hosted page adds parameters that are named like filters, and means none. */
export function readConnectionsSearch(search: Record<string, unknown>): ConnectionsSearch {
  const session = readSessionSearch(search);
  if (session.connectSessionId !== undefined) return session;
  return present({
    q: textIn(search, 'q'),
    platform: textIn(search, 'platform'),
    profile: textIn(search, 'profile'),
    health: oneOfIn(search, 'health', HEALTHS),
  });
}

export interface SessionSearch {
  readonly connectSessionId?: string;
}

export function readSessionSearch(search: Record<string, unknown>): SessionSearch {
  return present({ connectSessionId: textIn(search, 'connectSessionId') });
}

export interface NewSearch {
  /** Id of a profile; absent for own accounts. */
  readonly profile?: string;
  /** Platform whose credentials are typed here. */
  readonly credentials?: string;
}

export function readNewSearch(search: Record<string, unknown>): NewSearch {
  return present({ profile: textIn(search, 'profile'), credentials: textIn(search, 'credentials') });
}
