/**
 * The page of the console app: the same for each of its views, because the app reads the address. It tells the app who is
 * signed in.
 */
import type { RequestHandler } from 'express';
import { scopeList } from '../services/access/limits.ts';
import type { Context } from '../services/context.ts';
import { ownerCaller } from '../services/people/owner-caller.ts';
import { type AppEntry, appEntry } from './app-files.ts';
import { isViewPath } from './app/view-paths.ts';
import { html } from './html.ts';
import { policy, sendPage, POLICIES } from './page.ts';
import { csrfToken, signedIn, type SignedInPerson, signInAddress } from './people/signed-in.ts';

/** Answers the addresses of the app's views, and passes others on. */
export function appPage(context: Context): RequestHandler {
  return async (request, response, next) => {
    if (!isViewPath(request.path)) return next();
    const entry = appEntry();
    if (entry === null) return sendPage(response, 503, POLICIES.static, NOT_BUILT);
    const person = await signedIn(context, request);
    const nonce = context.random.bytes(16).toString('base64url');
    response.setHeader('content-security-policy', appPolicy(nonce));
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('referrer-policy', 'no-referrer');
    response.setHeader('cache-control', 'no-store');
    response.type('html').send(document({ context, entry, person, nonce, address: request.originalUrl }));
  };
}

const NOT_BUILT = {
  title: 'The console is not built',
  main: html`<section class="panel">
    <h1>The console is not built</h1>
    <p>Run <code>npm run build:console</code>, or start with <code>npm start</code>, which builds it. The API works.</p>
  </section>`,
};

/** Our own scripts, which call this install only. The nonce is for the styles that React Aria inserts. */
function appPolicy(nonce: string): string {
  return policy({
    'script-src': "'self'",
    'style-src': `'self' 'nonce-${nonce}'`,
    // The app shows images before they are uploaded.
    'img-src': "'self' blob:",
    'connect-src': "'self'",
    'require-trusted-types-for': "'script'",
    'trusted-types': 'default',
    'form-action': "'self'",
  });
}

interface AppDocument {
  readonly context: Context;
  readonly entry: AppEntry;
  readonly person: SignedInPerson | null;
  readonly nonce: string;
  /** To return to after signing in. */
  readonly address: string;
}

/** Scopes of the person's role, separated by spaces; `all` for an owner. */
function scopesOf(person: SignedInPerson): string {
  return scopeList(ownerCaller(person).scopes)?.join(' ') ?? 'all';
}

function document({ context, entry, person, nonce, address }: AppDocument): string {
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
      <meta name="color-scheme" content="light dark" />
      <title>Carillon console</title>
      <meta
        name="description"
        content="Write a post once and publish it to every connected account, now or at a time."
      />
      <meta property="csp-nonce" nonce="${nonce}" />
      <meta name="carillon-version" content="${context.version}" />
      ${
        person !== null &&
        html`<meta name="carillon-csrf" content="${csrfToken(context, person)}" />
          <meta name="carillon-email" content="${person.email}" />
          <meta name="carillon-role" content="${person.role}" />
          <meta name="carillon-scopes" content="${scopesOf(person)}" />`
      }
      <link rel="icon" type="image/svg+xml" href="/assets/bell.svg" />
      ${entry.styles.map((style) => html`<link rel="stylesheet" href="${style}" />`)}
      ${entry.modules.map((name) => html`<link rel="modulepreload" href="${name}" />`)}
      <script type="module" src="${entry.script}"></script>
    </head>
    <body>
      <div id="app"></div>
      <noscript>
        <main class="entry">
          <section class="panel">
            <h1>The console needs JavaScript</h1>
            <p>
              The API works without it: see the <a href="/docs/errors">error codes</a> and the
              <a href="/api/v2/openapi.json">API document</a>. So do <a href="/owner">your account</a> and
              <a href="${signInAddress(address)}">signing in</a>.
            </p>
          </section>
        </main>
      </noscript>
    </body>
  </html>`;
  return `<!doctype html>\n${page.text}\n`;
}
