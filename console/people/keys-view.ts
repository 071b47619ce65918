/** The content of /owner/keys: the keys for the whole account, and the form that creates one. */
import type { KeyView } from '../../services/keys/key-view.ts';
import { type Html, html } from '../html.ts';
import { fieldView, problemView } from './fields.ts';
import { HOME } from './sign-in-page.ts';
import { timeView } from './time-view.ts';

export interface KeysView {
  readonly keys: readonly KeyView[];
  /** Secret of the key that was just created; null when there is none. */
  readonly secret: string | null;
  /** Result of the last action; null when there is none. */
  readonly said: string | null;
  /** Why the last action failed; null when it did not. */
  readonly problem: string | null;
  /** What the form for a new key has: after a refusal, what was typed. */
  readonly typed: TypedKey;
}

export interface TypedKey {
  readonly name: string;
  readonly isLive: boolean;
}

export const NOTHING_TYPED: TypedKey = { name: '', isLive: false };

export function keysView({ keys, secret, said, problem, typed }: KeysView, token: Html): Html {
  return html`<section class="panel" aria-labelledby="heading">
      <h1 id="heading">API keys</h1>
      ${problemView(problem)} ${said !== null && html`<p role="status">${said}</p>`}
      ${secret !== null && secretView(secret)}
      <p>
        These keys reach the whole account. Programs use them; they never sign a person in. To replace one without an
        interruption, create another key, switch your programs to it, then revoke the old one.
      </p>
      ${keys.length === 0 && html`<p>There is no such key.</p>`}
      ${
        keys.length > 0 &&
        html`<ul class="rows">
          ${keys.map((key) => keyRow(key, token))}
        </ul>`
      }
      <a class="way" href="${HOME}">Your account</a>
    </section>
    ${creationPanel(typed, token)}`;
}

function secretView(secret: string): Html {
  return html`<div role="status">
    <p>The new key, shown this once:</p>
    <p><code dir="ltr">${secret}</code></p>
  </div>`;
}

function keyRow({ id, name, type, prefix, createdAt, lastUsedAt }: KeyView, token: Html): Html {
  const used = lastUsedAt === null ? html`not used yet` : html`last used ${timeView(new Date(lastUsedAt))}`;
  return html`<li>
    <p id="key-${id}"><strong dir="auto">${name}</strong> (${type}), <code>${prefix}…</code></p>
    <p class="hint">Since ${timeView(new Date(createdAt))}, ${used}.</p>
    <form method="post" action="/owner/keys/revoke">
      ${token}
      <input type="hidden" name="keyId" value="${id}" />
      <button type="submit" name="what" value="key" aria-describedby="key-${id}">Revoke</button>
      <button type="submit" name="what" value="minted" aria-describedby="key-${id}">
        Revoke with every key it minted
      </button>
    </form>
  </li>`;
}

function creationPanel({ name, isLive }: TypedKey, token: Html): Html {
  return html`<section class="panel" aria-labelledby="create-heading">
    <h2 id="create-heading">Create a key</h2>
    <form method="post" action="/owner/keys">
      ${token} ${fieldView({ name: 'name', label: 'Name', type: 'text', autocomplete: 'off', value: name })}
      <div class="field">
        <label for="type">Type</label>
        <select id="type" name="type" aria-describedby="type-hint">
          <option value="test" ${!isLive && html`selected`}>Test</option>
          <option value="live" ${isLive && html`selected`}>Live</option>
        </select>
        <p class="hint" id="type-hint">A test key reaches sandbox connections only.</p>
      </div>
      ${fieldView({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })}
      <button class="primary" type="submit">Create the key</button>
    </form>
  </section>`;
}
