/** Sends the owner pages: not cached, without a referrer, and with forms that lead to this install only. */
import type { Response } from 'express';
import { type Html, html } from '../html.ts';
import { policy, renderPage } from '../page.ts';

export interface PeoplePage {
  readonly status: number;
  readonly title: string;
  readonly main: Html;
  /** A module below /assets/app that adds features if scripts run; none when absent. */
  readonly script?: string | undefined;
}

const GUARDS = { 'style-src': "'self'", 'img-src': "'self'", 'form-action': "'self'" };

const SCRIPT_GUARDS = {
  'script-src': "'self'",
  'connect-src': "'self'",
  'require-trusted-types-for': "'script'",
  'trusted-types': "'none'",
};

export function sendPeoplePage(response: Response, { status, title, main, script }: PeoplePage): void {
  response.status(status);
  response.setHeader('content-security-policy', policy({ ...(script !== undefined && SCRIPT_GUARDS), ...GUARDS }));
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
  const head = script === undefined ? html`` : html`<script type="module" src="/assets/scripts/${script}"></script>`;
  const footnote = 'One keyboard, every bell.';
  response.type('html').send(renderPage({ title, layout: 'connect people', frame: 'brand', footnote, head, main }));
}

/** A page with a single message. @param link where to go next */
export function sendNotice(
  response: Response,
  status: number,
  title: string,
  sentence: string,
  link?: { readonly to: string; readonly text: string },
): void {
  const main = html`<section class="panel absent">
    <h1>${title}</h1>
    <p>${sentence}</p>
    ${link !== undefined && html`<p><a class="way" href="${link.to}">${link.text}</a></p>`}
  </section>`;
  sendPeoplePage(response, { status, title, main });
}

/** Answers a form that did not come from one of our pages, or from one that has expired. */
export function sendForeignForm(response: Response, backTo: string): void {
  const sentence =
    'This form was not sent from a page of Carillon that this browser has open, or that page is too old. ' +
    'Nothing was changed. Open the page again, and let the browser keep its cookies.';
  sendNotice(response, 403, 'Not taken', sentence, { to: backTo, text: 'Open the page again' });
}
