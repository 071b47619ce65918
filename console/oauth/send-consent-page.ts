/** Sends the consent page: not cached, not framed, and with a form that finally redirects to the client. */
import type { Response } from 'express';
import type { Html } from '../html.ts';
import { policy, renderPage } from '../page.ts';

/** @param redirectUri the client's redirect URI */
export function sendConsentPage(response: Response, main: Html, redirectUri: string): void {
  const title = 'Allow an agent? - Carillon';
  const formAction = ["'self'", ...targetSources(redirectUri)].join(' ');
  const csp = policy({ 'style-src': "'self'", 'img-src': "'self'", 'form-action': formAction });
  response.setHeader('content-security-policy', csp);
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
  const footnote = 'One keyboard, every bell.';
  response.type('html').send(renderPage({ title, layout: 'connect people', frame: 'brand', footnote, main }));
}

/**
 * Browsers also apply form-action to the redirects after a form: to the client's redirect URI, and to the URLs to
 * which the client redirects from there.
 */
function targetSources(redirectUri: string): string[] {
  // Allows whole schemes, because a policy cannot name ::1, and native apps choose their ports.
  return [...new Set([new URL(redirectUri).protocol, 'https:'])];
}
