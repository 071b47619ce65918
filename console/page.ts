/** The frame of every page (head, site header, main content, footer) and its response headers. */
import type { Response } from 'express';
import { type Html, html } from './html.ts';

export interface Page {
  readonly title: string;
  /** Description for search engines; pages without one are not indexed. */
  readonly description?: string;
  /** Path of the navigation entry to which this page belongs. */
  readonly current?: string;
  /** Class of the body, for pages with a special layout. */
  readonly layout?: string;
  /** Stylesheet of the content, below /assets; defaults to that of ordinary pages. */
  readonly stylesheet?: string;
  /** Additional elements of the head. */
  readonly head?: Html;
  readonly main: Html;
  /** True when the content has its own main landmark. */
  readonly bringsLandmark?: true;
  /** Version of the service for the footer; no footer without it. */
  readonly version?: string;
  /** Text of the footer of a `brand` page. */
  readonly footnote?: string;
  /** True for a private page, which no one may cache, not even the browser. */
  readonly isPersonal?: true;
  /** The frame. `brand`: only the name, for visitors who do not use the rest of the site; `none`: nothing. */
  readonly frame?: 'site' | 'brand' | 'none';
}

const NAVIGATION = [
  { path: '/', name: 'Console' },
  { path: '/docs', name: 'API reference' },
  { path: '/docs/guide', name: 'Guides' },
  { path: '/docs/errors', name: 'Errors' },
  { path: '/status', name: 'Status' },
];

/** What a page may load and do; `default-src 'none'` forbids everything else. */
export const POLICIES = {
  /** Text and styles only. */
  static: policy({ 'style-src': "'self'", 'img-src': "'self'" }),
} as const;

/** Builds a Content-Security-Policy that allows only what the page needs. */
export function policy(directives: Readonly<Record<string, string>>): string {
  const all = {
    'default-src': "'none'",
    ...directives,
    'base-uri': "'none'",
    'form-action': directives['form-action'] ?? "'none'",
    'frame-ancestors': "'none'",
  };
  return Object.entries(all)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}

/** Sends a page. Browsers revalidate it on every visit, so that an upgrade is visible immediately. */
export function sendPage(response: Response, status: number, csp: string, page: Page): void {
  response.status(status);
  response.setHeader('content-security-policy', csp);
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('cache-control', page.isPersonal ? 'no-store' : 'no-cache');
  response.type('html').send(renderPage(page));
}

/** Renders the whole document. */
export function renderPage(page: Page): string {
  const { title, description, current, layout, stylesheet = 'content.css', head, main, bringsLandmark, version } = page;
  const { frame = 'site', footnote = 'Carillon keeps your login encrypted, and uses it to publish for you.' } = page;
  const index =
    description === undefined
      ? html`<meta name="robots" content="noindex" />`
      : html`<meta name="description" content="${description}" />`;
  return `<!doctype html>\n${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${index}
        <link rel="icon" type="image/svg+xml" href="/assets/bell.svg" />
        <link rel="stylesheet" href="/assets/tokens.css" />
        <link rel="stylesheet" href="/assets/carillon.css" />
        <link rel="stylesheet" href="/assets/${stylesheet}" />
        ${head}
      </head>
      <body class="${layout}">
        ${frame === 'site' && html`<a class="skip" href="#content">Skip to content</a>`}
        ${frame !== 'none' && header(frame, current)}
        ${bringsLandmark ? html`<div id="content" tabindex="-1">${main}</div>` : html`<main id="content" tabindex="-1">${main}</main>`}
        ${frame === 'brand' && html`<footer class="site"><p>${footnote}</p></footer>`}
        ${version !== undefined && html`<footer class="site"><p>Carillon ${version}. One keyboard, every bell.</p></footer>`}
      </body>
    </html>`.text
  }\n`;
}

function header(frame: 'site' | 'brand', current: string | undefined): Html {
  const name = html`<img src="/assets/bell.svg" alt="" width="32" height="32" />Carillon`;
  if (frame === 'brand') return html`<header class="site"><span class="brand">${name}</span></header>`;
  return html`<header class="site">
    <a class="brand" href="/">${name}</a>
    <nav aria-label="Site">
      <ul>
        ${NAVIGATION.map(
          ({ path, name: entry }) =>
            html`<li><a href="${path}" ${path === current && html`aria-current="page"`}>${entry}</a></li>`,
        )}
      </ul>
    </nav>
  </header>`;
}
