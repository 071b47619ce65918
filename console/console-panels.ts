/** The panels before the console opens, for signed-in users and for users with an API key, and its header. */
import type { Context } from '../services/context.ts';
import { type Html, html } from './html.ts';
import { csrfField, type SignedInPerson, signInAddress } from './people/signed-in.ts';

const NO_SCRIPTS = html`<noscript
  ><p class="problem">
    The console needs JavaScript. The API works without it: see the <a href="/docs">API reference</a>.
  </p></noscript
>`;

export function openingPanel({ email }: SignedInPerson): Html {
  return html`
    <section id="opening" class="panel key" aria-labelledby="opening-heading">
      <img class="bells" src="/assets/bells.svg" alt="" width="320" height="110" />
      <h1 id="opening-heading">One keyboard, every bell</h1>
      <p>You are signed in as <a class="way" href="/owner" dir="auto">${email}</a>.</p>
      ${NO_SCRIPTS}
      <div id="opening-problem" role="alert"></div>
    </section>
  `;
}

export function keyPanel(): Html {
  return html`
    <section id="key-panel" class="panel key" aria-labelledby="key-heading">
      <img class="bells" src="/assets/bells.svg" alt="" width="320" height="110" />
      <h1 id="key-heading">One keyboard, every bell</h1>
      <p>Write a post once, send it to every connected account, and know what became of it on each.</p>
      ${NO_SCRIPTS}
      <p><a class="sign-in" href="${signInAddress('/')}">Sign in</a></p>
      <p class="hint">Or open the console with a key.</p>
      <form id="key-form">
        <div class="field">
          <label for="key">API key</label>
          <input
            id="key"
            name="key"
            type="password"
            required
            autocomplete="off"
            autocapitalize="none"
            spellcheck="false"
            aria-describedby="key-hint"
          />
          <p class="hint" id="key-hint">
            The first start of this install printed one. It stays in this tab, goes nowhere but to this install as a
            request header, and is forgotten when the tab closes.
          </p>
        </div>
        <button class="primary" type="submit" id="open">Open the console</button>
        <div id="key-problem" role="alert"></div>
      </form>
    </section>
  `;
}

export function ownerBar(context: Context, person: SignedInPerson): Html {
  return html`
    <div class="desk-bar">
      <h1>Console</h1>
      <p>Signed in as <a class="way" href="/owner" dir="auto">${person.email}</a></p>
      <form method="post" action="/sign-out">
        ${csrfField(context, person)}
        <button type="submit">Sign out</button>
      </form>
    </div>
  `;
}

export function keyBar(): Html {
  return html`
    <div class="desk-bar">
      <h1>Console</h1>
      <p>Key <code id="key-shown"></code></p>
      <button type="button" id="forget-key">Forget key</button>
    </div>
  `;
}
