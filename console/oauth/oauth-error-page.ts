/** The page for an authorization request that has no known redirect URI. */
import { html } from '../html.ts';
import { POLICIES, renderPage } from '../page.ts';

/** The authorization server's error. */
interface Refusal {
  readonly error: string;
  readonly error_description?: string | undefined;
}

/** @returns the page and its Content-Security-Policy */
export function oauthErrorPage(refusal: Refusal): { policy: string; text: string } {
  const isTooMany = refusal.error === 'too_many_requests';
  const title = isTooMany ? 'Not now' : 'That did not work';
  const what = isTooMany
    ? 'Too many requests came from this address. Wait a minute, then go back to the program and try again.'
    : 'The program that sent you here asked in a way that cannot be answered. Go back to it and try again.';
  const main = html`<section class="panel absent">
    <h1>${title}</h1>
    <p>${what}</p>
    <p dir="auto">
      It may help those who wrote it:
      <code>${refusal.error}</code>${refusal.error_description !== undefined && html`, ${refusal.error_description}`}.
    </p>
  </section>`;
  const frame = { layout: 'connect people', frame: 'brand', footnote: 'One keyboard, every bell.' } as const;
  return { policy: POLICIES.static, text: renderPage({ title, ...frame, main }) };
}
