/** The forms for passkeys. They stay hidden until a script finds that the browser supports passkeys. */
import type { PasskeyView } from '../../services/people/passkeys/own-passkeys.ts';
import { type Html, html } from '../html.ts';
import { fieldView } from './fields.ts';
import { timeView } from './time-view.ts';

/** The script of these forms, below /assets/app. */
export const PASSKEY_SCRIPT = 'passkeys.js';

/** The form on /sign-in. @param fields hidden fields: the token, and the redirect target */
export function passkeySignIn(fields: Html): Html {
  return html`<form method="post" action="/sign-in/passkey" data-passkey="/sign-in/passkey/options" hidden>
    ${fields}
    <input type="hidden" name="answer" value="" />
    <button type="submit">Sign in with a passkey</button>
    <p class="said" role="alert"></p>
  </form>`;
}

/** The form on /owner. */
export function passkeysPanel(passkeys: readonly PasskeyView[], token: Html): Html {
  return html`<section class="panel" aria-labelledby="passkeys-heading">
    <h2 id="passkeys-heading">Passkeys</h2>
    <p>A passkey signs you in with your device instead of the password.</p>
    <noscript><p class="hint">Adding one needs JavaScript.</p></noscript>
    ${
      passkeys.length > 0 &&
      html`<ul class="rows">
        ${passkeys.map((passkey) => passkeyRow(passkey, token))}
      </ul>`
    }
    <form method="post" action="/owner/passkeys" data-passkey="/owner/passkeys/options" data-adds hidden>
      ${token}
      <input type="hidden" name="answer" value="" />
      ${fieldView({ name: 'passkeyPassword', label: 'Password', type: 'password', autocomplete: 'current-password' })}
      <button type="submit">Add a passkey</button>
      <p class="said" role="alert"></p>
    </form>
  </section>`;
}

function passkeyRow({ id, createdAt, lastUsedAt }: PasskeyView, token: Html): Html {
  const used = lastUsedAt ? html`last used ${timeView(lastUsedAt)}` : html`not used yet`;
  return html`<li>
    <p>Added ${timeView(createdAt)}, ${used}.</p>
    <form method="post" action="/owner/passkeys/remove">
      ${token}
      <input type="hidden" name="passkeyId" value="${id}" />
      <button type="submit">Remove</button>
    </form>
  </li>`;
}
