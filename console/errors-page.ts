/** GET /docs/errors: the meaning of each error code and what to do, from the table that defines the errors. */
import type { RequestHandler } from 'express';
import { ERROR_CODES, ERRORS, type ErrorCode } from '../errors/codes.ts';
import type { ErrorSpec } from '../errors/error-spec.ts';
import type { Context } from '../services/context.ts';
import { type Html, html } from './html.ts';
import { type Page, POLICIES, sendPage } from './page.ts';

export function errorsPage(context: Context): RequestHandler {
  const page: Page = {
    title: 'Errors - Carillon',
    description:
      'Every error code of the Carillon API: its HTTP status, what it means, what to do, and whether to try again.',
    current: '/docs/errors',
    layout: 'errors',
    version: context.version,
    main: html`
      <h1>Errors</h1>
      <p class="lead">
        A refused request answers with a JSON body whose <code>error</code> is one of these codes. Where there is more
        to say, <code>message</code> tells what was wrong with this request and <code>details</code> lists the fields. A
        post that failed on one connection carries the same codes.
      </p>
      <nav class="panel contents" aria-labelledby="contents-heading">
        <h2 id="contents-heading">Codes</h2>
        <ul>
          ${ERROR_CODES.map(
            (code) =>
              html`<li>
                <a href="#${encodeURIComponent(code)}"><code>${code}</code></a>
                <span class="status">${ERRORS[code].status}</span>
              </li>`,
          )}
        </ul>
      </nav>
      ${ERROR_CODES.map(section)}
    `,
  };
  return (_request, response) => sendPage(response, 200, POLICIES.static, page);
}

function adviceOf({ retryable, retryableWhen }: ErrorSpec): Html {
  if (retryable) return html`Yes: the same request may succeed later.`;
  if (retryableWhen === undefined) return html`Not unchanged: do the above first.`;
  return html`Only ${retryableWhen}; the body’s <code>retryable</code> says so. Otherwise do the above first.`;
}

// The id is the unchanged code, even with spaces: browsers treat `#too many requests` and `#too%20many%20requests`
// as the same URL, and search for the id both as written and decoded.
function section(code: ErrorCode): Html {
  const spec: ErrorSpec = ERRORS[code];
  return html`
    <section class="panel error" id="${code}" tabindex="-1">
      <h2><code>${code}</code> <span class="status">HTTP ${spec.status}</span></h2>
      <p>${spec.message}</p>
      <dl>
        <div>
          <dt>What to do</dt>
          <dd>${spec.hint}</dd>
        </div>
        <div>
          <dt>Try again</dt>
          <dd>${adviceOf(spec)}</dd>
        </div>
        ${
          spec.reportsRequestId &&
          html`<div>
            <dt>Report it</dt>
            <dd>The body carries <code>req_id</code>, the id of the request.</dd>
          </div>`
        }
      </dl>
    </section>
  `;
}
