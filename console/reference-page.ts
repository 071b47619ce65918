/** GET /docs: the API reference, which Scalar renders from our OpenAPI document without external requests. */
import type { RequestHandler } from 'express';
import type { Context } from '../services/context.ts';
import { REFERENCE_SCRIPT } from './assets.ts';
import { html } from './html.ts';
import { type Page, policy, sendPage } from './page.ts';

export function referencePage(context: Context): RequestHandler {
  const { publicUrl } = context.config;
  const csp = policy({
    'script-src': "'self'",
    // Scalar inserts its styles into the page.
    'style-src': "'self' 'unsafe-inline'",
    'img-src': "'self' data:",
    'font-src': "'self'",
    // Requests sent from the page go to the server URL of the document, which may differ from the page's origin.
    'connect-src': `'self' ${publicUrl}`,
  });
  const page: Page = {
    title: 'API reference - Carillon',
    description: 'Every operation of the Carillon API, with its parameters, answers and errors.',
    current: '/docs',
    layout: 'reference',
    stylesheet: 'reference.css',
    bringsLandmark: true,
    head: html`
      <script src="/assets${REFERENCE_SCRIPT}" defer></script>
      <script type="module" src="/assets/scripts/reference.js"></script>
    `,
    main: html`
      <noscript
        ><p class="problem">
          The reference needs JavaScript. The document it shows is at
          <a href="/api/v2/openapi.json">/api/v2/openapi.json</a>.
        </p></noscript
      >
      <div id="reference" data-document="/api/v2/openapi.json"></div>
    `,
  };
  return (_request, response) => sendPage(response, 200, csp, page);
}
