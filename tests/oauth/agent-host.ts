/** An agent host: the storage for an SDK client, and the answers of its user. */
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { Browser } from '../harness/browser.ts';
import { answered, CALLBACK } from './agents.ts';

export interface Host {
  readonly provider: OAuthClientProvider;
  /** Addresses that it asked to open, in order. */
  readonly asked: URL[];
  /** By kind: client, tokens, verifier, discovery. */
  readonly stored: Record<string, unknown>;
}

export function aHost(redirect = CALLBACK): Host {
  const stored: Record<string, unknown> = {};
  const asked: URL[] = [];
  const provider = {
    redirectUrl: redirect,
    clientMetadata: { client_name: 'Host', redirect_uris: [redirect] },
    state: () => 'host-state',
    clientInformation: () => stored['client'],
    saveClientInformation: (client: unknown) => void (stored['client'] = client),
    tokens: () => stored['tokens'],
    saveTokens: (tokens: unknown) => void (stored['tokens'] = tokens),
    redirectToAuthorization: (url: URL) => void asked.push(url),
    saveCodeVerifier: (verifier: string) => void (stored['verifier'] = verifier),
    codeVerifier: () => stored['verifier'],
    saveDiscoveryState: (state: unknown) => void (stored['discovery'] = state),
    discoveryState: () => stored['discovery'],
    invalidateCredentials: (what: string) => void delete stored[what],
  } as unknown as OAuthClientProvider;
  return { provider, asked, stored };
}

/** Opens the address that a host asked for, presses Allow, and returns what the host receives. */
export async function agree(browser: Browser, url: URL | undefined, reach = 'account'): Promise<URLSearchParams> {
  const begun = await browser.get(url?.href ?? '');
  const back = await answered(browser, await browser.get(begun.location ?? ''), { reach });
  return back.searchParams;
}
