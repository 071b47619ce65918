/** How pages about agents are sent: kept by nobody, framed by nobody, with forms that lead where they must. */
import type { Response } from 'express';
import type { Context } from '../../services/context.ts';
import { type Html, html } from '../html.ts';
import { policy, renderPage } from '../page.ts';

export interface OauthPage {
  readonly status: number;
  readonly title: string;
  readonly main: Html;
  /** `connect` for a single question; the width of ordinary pages when left out. */
  readonly layout?: 'connect';
  /** Whether a form stands on it. */
  readonly hasForm?: true;
  /** Where the form may lead in the end, besides this install. */
  readonly leadsTo?: string;
}

export function sendOauthPage({ version }: Context, response: Response, page: OauthPage): void {
  const { status, title, main, layout, hasForm, leadsTo } = page;
  const targets = hasForm === undefined ? [] : ["'self'", ...(leadsTo === undefined ? [] : targetSources(leadsTo))];
  response.status(status);
  response.setHeader(
    'content-security-policy',
    policy({
      'style-src': "'self'",
      'img-src': "'self'",
      ...(targets.length > 0 && { 'form-action': targets.join(' ') }),
    }),
  );
  response.setHeader('x-frame-options', 'DENY');
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
  response.type('html').send(renderPage({ title, main, version, ...(layout !== undefined && { layout }) }));
}

/** A page that only says something. */
export function notice(title: string, sentence: string): Html {
  return html`<section class="panel absent">
    <h1>${title}</h1>
    <p>${sentence}</p>
  </section>`;
}

/**
 * Browsers hold form-action against the redirects that follow a form too: against the client's address, and against
 * where that leads on to, which is the client's to say.
 */
function targetSources(redirectUri: string): string[] {
  const { protocol } = new URL(redirectUri);
  if (protocol === 'https:') return ['https:'];
  // A policy cannot name ::1, and ports are the program's to choose.
  return protocol === 'http:' ? ['http:', 'https:'] : [protocol, 'https:'];
}
