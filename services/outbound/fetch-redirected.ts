/**
 * Follows the redirects of an address that someone else chose. Each hop passes the outbound guard, so a redirect reaches no
 * private network either.
 */
import type { FetchInit } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';

/** Most redirects that are followed. */
const REDIRECTS_MAX = 3;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The first answer that is no redirect, and where it came from. */
export interface Redirected {
  readonly response: Response;
  readonly host: string;
  readonly address: string;
}

/** @returns null when the address redirects more than {@link REDIRECTS_MAX} times */
export async function fetchRedirected(context: Context, first: URL, init: FetchInit): Promise<Redirected | null> {
  let url = first;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const response = await context.fetch(url, init);
    const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
    if (location === null || !URL.canParse(location, url)) {
      return { response, host: url.host, address: url.href };
    }
    await response.body?.cancel();
    url = new URL(location, url);
  }
  return null;
}

/** What {@link fetchRedirected} refuses, in words. */
export function tooManyRedirects(first: URL): string {
  return `${first.host} redirects more than ${REDIRECTS_MAX} times`;
}
