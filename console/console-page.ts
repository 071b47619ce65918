/** GET /: the console. The server renders the forms; console/assets/app adds what the key or the owner may see. */
import type { RequestHandler } from 'express';
import { ERROR_CODES, ERRORS } from '../errors/codes.ts';
import { Post } from '../routers/schemas/post.ts';
import type { Context } from '../services/context.ts';
import { browserModules, scriptName } from './assets.ts';
import { connectForms } from './connect-forms.ts';
import { keyBar, keyPanel, openingPanel, ownerBar } from './console-panels.ts';
import { type Html, html } from './html.ts';
import { type Page, POLICIES, sendPage } from './page.ts';
import { csrfToken, signedIn } from './people/signed-in.ts';

/** Browser modules that belong to another page. */
const OTHER_PAGES = ['reference.ts', 'passkeys.ts'];

export function consolePage(context: Context): RequestHandler {
  const forKeys = pageFor(context, keyPanel(), keyBar());
  return async (request, response) => {
    const person = await signedIn(context, request);
    if (person === null) return sendPage(response, 200, POLICIES.console, forKeys);
    const page = pageFor(context, openingPanel(person), ownerBar(context, person), csrfToken(context, person));
    sendPage(response, 200, POLICIES.ownersConsole, page);
  };
}

/**
 * @param before the panel that is shown until the console opens
 * @param token CSRF token of the signed-in user, for scripts
 */
function pageFor(context: Context, before: Html, bar: Html, token?: string): Page {
  return {
    title: 'Carillon console',
    description: 'Write a post once and publish it to every connected account, now or at a time.',
    current: '/',
    layout: 'console',
    version: context.version,
    ...(token !== undefined && { isPersonal: true }),
    head: html`
      ${token !== undefined && html`<meta name="carillon-csrf" content="${token}" />`}
      ${browserModules()
        .filter((name) => !OTHER_PAGES.includes(name))
        .map((name) => html`<link rel="modulepreload" href="/assets/app/${scriptName(name)}" />`)}
      <script type="module" src="/assets/app/main.js"></script>
    `,
    main: html`${before}
      <div id="desk" class="desk" hidden>${bar} ${writePanel()} ${connectionsPanel(context)} ${postsPanel()}</div>
      <p id="announcer" class="sr-only" role="status"></p>
      ${confirmDialog()}
      <ul id="hints" hidden>
        ${ERROR_CODES.map((code) => html`<li data-code="${code}">${ERRORS[code].hint}</li>`)}
      </ul>`,
  };
}

function writePanel(): Html {
  return html`
    <section class="panel write" aria-labelledby="write-heading">
      <h2 id="write-heading">Write a post</h2>
      <form id="write-form" novalidate>
        <div class="field">
          <label for="text">Text</label>
          <textarea id="text" name="text" rows="5" dir="auto" required aria-describedby="text-length"></textarea>
          <p class="hint" id="text-length"></p>
        </div>
        <fieldset class="choices targets">
          <legend>Send to</legend>
          <div id="targets"></div>
        </fieldset>
        <fieldset class="choices">
          <legend>When</legend>
          <label class="choice"><input type="radio" name="when" value="now" checked /> Now</label>
          <label class="choice"><input type="radio" name="when" value="later" /> At a time</label>
          <div class="field" id="later" hidden>
            <label for="time">Date and time</label>
            <input id="time" name="time" type="datetime-local" aria-describedby="time-hint" />
            <p class="hint" id="time-hint"></p>
          </div>
        </fieldset>
        <button class="primary" type="submit" id="send">Publish</button>
        <div id="write-problem" role="alert"></div>
      </form>
      <div id="results" class="results" role="region" aria-label="Results" hidden></div>
    </section>
  `;
}

function connectionsPanel(context: Context): Html {
  return html`
    <section class="panel connections" aria-labelledby="connections-heading">
      <h2 id="connections-heading" tabindex="-1">Connections</h2>
      <ul id="connections" class="rows"></ul>
      <div id="connections-problem" role="alert"></div>
      <details id="connect-details">
        <summary>Connect an account</summary>
        <form id="connect-form">
          ${connectForms(context)}
          <div class="field">
            <label for="connect-slug">Slug <span class="optional">(optional)</span></label>
            <input
              id="connect-slug"
              name="slug"
              maxlength="80"
              autocomplete="off"
              autocapitalize="none"
              spellcheck="false"
              aria-describedby="connect-slug-hint"
            />
            <p class="hint" id="connect-slug-hint">
              What posts are addressed to, such as bluesky-news. Left empty, it is made from platform and handle.
            </p>
          </div>
          <button class="primary" type="submit">Connect</button>
          <div id="connect-problem" role="alert"></div>
        </form>
      </details>
    </section>
  `;
}

function postsPanel(): Html {
  return html`
    <section class="panel posts" aria-labelledby="posts-heading">
      <h2 id="posts-heading" tabindex="-1">Posts</h2>
      <div class="toolbar">
        <label for="status">Status</label>
        <select id="status">
          <option value="">All</option>
          ${Post.shape.status.options.map((status) => html`<option value="${status}">${status}</option>`)}
        </select>
        <button type="button" id="refresh">Refresh</button>
      </div>
      <div id="posts-problem" role="alert"></div>
      <ol id="posts" class="rows"></ol>
      <nav class="pager" id="pager" hidden aria-label="Pages of posts">
        <button type="button" id="newer">Newer</button>
        <span id="page"></span>
        <button type="button" id="older">Older</button>
      </nav>
    </section>
  `;
}

function confirmDialog(): Html {
  return html`
    <dialog id="confirm" aria-labelledby="confirm-question">
      <h2 id="confirm-question"></h2>
      <p id="confirm-detail" dir="auto"></p>
      <div class="actions">
        <button type="button" id="confirm-no">Keep it</button>
        <button type="button" class="danger" id="confirm-yes"></button>
      </div>
    </dialog>
  `;
}
