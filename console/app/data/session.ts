/**
 * Who uses the console: a signed-in person, whose cookie the browser sends and whose page carries a CSRF token, or the
 * holder of an API key, which stays in this tab until it closes.
 */
import type { Outputs } from './api-types.ts';

export type Role = Outputs['people']['session']['role'];
export type Scope = NonNullable<Outputs['people']['session']['scopes']>[number];

/** A scope of the API, or `owner` for what owners only may do. */
export type Right = Scope | 'owner';

export type Session =
  | { readonly kind: 'person'; readonly csrf: string; readonly person: Outputs['people']['session'] }
  | { readonly kind: 'key'; readonly key: string };

const KEY = 'carillon.key';

/** The session of this page; null when the visitor has neither signed in nor given a key. */
export function currentSession(): Session | null {
  const csrf = pageValue('carillon-csrf');
  if (csrf !== '') return { kind: 'person', csrf, person: personOfPage() };
  const key = sessionStorage.getItem(KEY);
  return key === null ? null : { kind: 'key', key };
}

export function storeKey(key: string): void {
  sessionStorage.setItem(KEY, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(KEY);
}

/** The person as the server knew them when it sent the page. */
function personOfPage(): Outputs['people']['session'] {
  const [role, scopes] = [pageValue('carillon-role'), pageValue('carillon-scopes')];
  return {
    email: pageValue('carillon-email'),
    role: role as Role,
    scopes: scopes === 'all' ? null : (scopes.split(' ') as Scope[]),
  };
}

/** Version of the service that sent the page. */
export function serviceVersion(): string {
  return pageValue('carillon-version');
}

/** A value that the server put into the page's head; empty when absent. */
function pageValue(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

/** How calls of a session are authenticated. A key is sent in a header only, and never together with the cookie. */
export interface Access {
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: 'omit' | 'same-origin';
  readonly trpcPath: '/trpc' | '/owner/trpc';
  readonly eventsPath: '/api/v2/events' | '/owner/events';
  /** Whether its stream also reports changes that have no event, such as a new draft. */
  readonly hasChanges: boolean;
}

export function accessOf(session: Session): Access {
  if (session.kind === 'key') {
    const headers = { 'x-api-key': session.key };
    return { headers, credentials: 'omit', trpcPath: '/trpc', eventsPath: '/api/v2/events', hasChanges: false };
  }
  const headers = { 'x-carillon-csrf': session.csrf };
  return {
    headers,
    credentials: 'same-origin',
    trpcPath: '/owner/trpc',
    eventsPath: '/owner/events',
    hasChanges: true,
  };
}
