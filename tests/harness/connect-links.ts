/** Connect links for tests. */
import type { BrowserPage } from './browser.ts';
import { PUBLIC_URL, type World } from './world.ts';

/** The address to which customers are sent in the end. */
export const REDIRECT = 'https://app.example.com/connected?tab=2';

export interface TestLink {
  /** Path of the link. */
  readonly path: string;
  readonly sessionId: string;
  readonly profileId: string;
  /** The session as the API shows it now. */
  read(): Promise<{ readonly status: string; readonly error: string | null; readonly connectionId: string | null }>;
}

/** Creates a link, in a new profile when none is named. */
export async function makeLink(
  world: World,
  fields: Record<string, unknown> = {},
  options: { readonly key?: string; readonly profileId?: string } = {},
): Promise<TestLink> {
  const { key = world.liveKey, profileId = (await world.profile()).id } = options;
  const { status, body } = await world.rest(`POST /profiles/${profileId}/connect`, {
    key,
    body: { redirectUrl: REDIRECT, ...fields },
  });
  if (status !== 200) throw new Error(`the link was not made: ${JSON.stringify(body)}`);
  return {
    path: new URL(body.url).pathname,
    sessionId: body.connectSessionId,
    profileId,
    read: async () => (await world.rest(`GET /connect-sessions/${body.connectSessionId}`)).body.connectSession,
  };
}

/** The address of a redirect without its query, and the query. */
export function destination(location: string | null): [address: string, query: Record<string, string>] {
  const url = new URL(location ?? '', 'http://nowhere.example');
  return [url.origin + url.pathname, Object.fromEntries(url.searchParams)];
}

/**
 * Simulates the person's decision on the platform's own page; returns the path to which the platform redirects the
 * browser.
 */
export async function decide(page: BrowserPage): Promise<string> {
  const answer = await fetch(page.location ?? '', { redirect: 'manual' });
  const back = answer.headers.get('location') ?? '';
  if (!back.startsWith(`${PUBLIC_URL}/connect/callback/`)) throw new Error(`${answer.status} ${await answer.text()}`);
  return back;
}
