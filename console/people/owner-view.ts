/** The content of /owner. */
import type { Context } from '../../services/context.ts';
import { PASSWORD_MIN_LENGTH } from '../../services/people/new-password.ts';
import type { PasskeyView } from '../../services/people/passkeys/own-passkeys.ts';
import type { SignedInPerson, SignInView } from '../../services/people/sign-ins.ts';
import type { DisabledWebhookView } from '../../services/webhooks/list-disabled.ts';
import { type Html, html } from '../html.ts';
import { fieldView, problemView } from './fields.ts';
import { OWNER_PAGES } from './owner-pages.ts';
import { passkeysPanel } from './passkey-views.ts';
import { csrfField } from './signed-in.ts';
import { timeView } from './time-view.ts';

export interface OwnerView {
  readonly signIns: readonly SignInView[];
  /** Null if browsers cannot create passkeys for this install. */
  readonly passkeys: readonly PasskeyView[] | null;
  /** Webhooks that are disabled. */
  readonly webhooks: readonly DisabledWebhookView[];
  /** Result of the last action; null when there is none. */
  readonly said: string | null;
  /** Why the password was not changed; null when there was no failure. */
  readonly problem: string | null;
}

export function ownerView(context: Context, person: SignedInPerson, view: OwnerView): Html {
  const { signIns, passkeys, webhooks, said, problem } = view;
  const token = csrfField(context, person);
  return html`
    ${summary(person, token, said)} ${webhooks.length > 0 && webhooksPanel(webhooks)} ${passwordPanel(token, problem)}
    ${passkeys !== null && passkeysPanel(passkeys, token)}
    <section class="panel" aria-labelledby="browsers-heading">
      <h2 id="browsers-heading">Signed in</h2>
      <ul class="rows">
        ${signIns.map((signIn) => browserRow(signIn, token, signIn.id === person.signInId))}
      </ul>
    </section>
  `;
}

function summary({ email, role }: SignedInPerson, token: Html, said: string | null): Html {
  return html`<section class="panel" aria-labelledby="heading">
    <h1 id="heading">Your account</h1>
    ${said !== null && html`<p role="status">${said}</p>`}
    <p>You are signed in as <strong dir="auto">${email}</strong>. Your role: ${role}.</p>
    <ul class="rows">
      ${OWNER_PAGES.filter(({ forOwners }) => forOwners !== true || role === 'owner').map(
        ({ path, name, about }) =>
          html`<li>
            <a class="way" href="${path}">${name}</a>
            <p class="hint">${about}</p>
          </li>`,
      )}
    </ul>
    <form method="post" action="/sign-out">
      ${token}
      <button type="submit">Sign out</button>
    </form>
  </section>`;
}

function webhooksPanel(webhooks: readonly DisabledWebhookView[]): Html {
  return html`<section class="panel" aria-labelledby="webhooks-heading">
    <h2 id="webhooks-heading">Disabled webhooks</h2>
    <p class="hint">Nothing is delivered to them. Enable one with <code>PATCH /webhooks/{webhookId}</code>.</p>
    <ul class="rows">
      ${webhooks.map(
        ({ id, host, description, reason, disabledAt }) =>
          html`<li>
            <p dir="auto">${description ?? host}</p>
            <p class="hint">
              To ${host}, <code>${id}</code>. Since
              ${timeView(disabledAt)}${reason === 'failing' ? ', after three days in which every attempt failed' : ', on request'}.
            </p>
          </li>`,
      )}
    </ul>
  </section>`;
}

function passwordPanel(token: Html, problem: string | null): Html {
  const hint = `At least ${PASSWORD_MIN_LENGTH} characters. Every other browser is signed out.`;
  return html`<section class="panel" aria-labelledby="password-heading">
    <h2 id="password-heading">Password</h2>
    ${problemView(problem)}
    <form method="post" action="/owner/password">
      ${token}
      ${fieldView({ name: 'password', label: 'Current password', type: 'password', autocomplete: 'current-password' })}
      ${fieldView({ name: 'newPassword', label: 'New password', type: 'password', autocomplete: 'new-password', hint })}
      <button type="submit">Change password</button>
    </form>
  </section>`;
}

function browserRow({ id, userAgent, createdAt, lastSeenAt }: SignInView, token: Html, isThis: boolean): Html {
  return html`<li>
    <p dir="auto">${userAgent === '' ? 'A browser that does not say what it is' : userAgent}</p>
    <p class="hint">${isThis && 'This browser. '}Since ${timeView(createdAt)}, last seen ${timeView(lastSeenAt)}.</p>
    ${
      !isThis &&
      html`<form method="post" action="/owner/sign-ins/end">
        ${token}
        <input type="hidden" name="signInId" value="${id}" />
        <button type="submit">Sign out there</button>
      </form>`
    }
  </li>`;
}
