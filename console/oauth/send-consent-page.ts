/** How the page of consent is sent: kept by nobody, framed by nobody, with a form that leads to the client in the end. */
import type { Response } from 'express';
import type { Html } from '../html.ts';
import { policy, renderPage } from '../page.ts';

/** @param redirectUri where the client wants the answer */
export function sendConsentPage(response: Response, main: Html, redirectUri: string): void {
  const title = 'Allow an agent? - Carillon';
  const formAction = ["'self'", ...targetSources(redirectUri)].join(' ');
  const csp = policy({ 'style-src': "'self'", 'img-src': "'self'", 'form-action': formAction });
  response.setHeader('content-security-policy', csp);
  response.setHeader('x-frame-options', 'DENY');
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
  const footnote = 'One keyboard, every bell.';
  response.type('html').send(renderPage({ title, layout: 'connect people', frame: 'brand', footnote, main }));
}

/**
 * Browsers hold form-action against the redirects that follow a form too: against the client's address, and against
 * where that leads on to, which is the client's to say.
 */
function targetSources(redirectUri: string): string[] {
  // Whole schemes, because a policy cannot name ::1, and ports are a program's to choose.
  return [...new Set([new URL(redirectUri).protocol, 'https:'])];
}
