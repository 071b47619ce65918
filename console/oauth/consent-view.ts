/**
 * The consent question: which client asks, where the response goes, what it may do, and which profiles it can
 * access. The widest access is the last option, and the narrowest is preselected.
 */
import { SCOPES } from '../../services/keys/scopes.ts';
import type { ProfileChoice } from '../../services/oauth/profiles-to-choose.ts';
import { type Html, html } from '../html.ts';
import { type ConsentRequest, redirectHost } from './consent-requests.ts';

export interface ConsentView {
  readonly asked: ConsentRequest;
  readonly email: string;
  readonly profiles: readonly ProfileChoice[];
  /** Path to which the decision is posted. */
  readonly action: string;
  readonly csrf: Html;
}

/** Option values other than profile ids. */
export const WHOLE_ACCOUNT = 'account';
export const TEST_MODE = 'test';

export function consentView({ asked, email, profiles, action, csrf }: ConsentView): Html {
  return html`<section class="panel consent" aria-labelledby="heading">
    <h1 id="heading">Allow <span dir="auto">${asked.clientName}</span>?</h1>
    <p>
      This program asks to act for you (${email}). It chose its name itself. What you can rely on is where your answer
      goes:
    </p>
    ${destination(asked)}
    <h2>It asks to</h2>
    <ul class="scopes">
      ${asked.scopes.map((scope) => html`<li>${SCOPES[scope]}</li>`)}
    </ul>
    <form method="post" action="${action}">
      ${csrf}
      <div class="field">
        <label for="reach">What it reaches</label>
        <select id="reach" name="reach" aria-describedby="reach-hint">
          <option value="${TEST_MODE}" selected>Test mode only</option>
          ${profiles.map(({ id, name }) => html`<option value="${id}">Only the profile ${name}</option>`)}
          <option value="${WHOLE_ACCOUNT}">Whole account</option>
        </select>
        <p class="hint" id="reach-hint">
          In test mode it reaches the sandbox only and publishes nothing. With the whole account it reaches every
          connected account and every profile.
        </p>
      </div>
      <div>
        <button class="primary" type="submit" name="answer" value="allow">Allow</button>
        <button type="submit" name="answer" value="deny">Deny</button>
      </div>
    </form>
    <p class="hint">
      You can revoke this at any time under Agents. API keys and webhooks that it creates have the same limits, and end
      with it.
    </p>
  </section>`;
}

function destination({ redirectUri }: ConsentRequest): Html {
  const place = html`<p class="destination"><strong dir="ltr">${redirectHost(redirectUri)}</strong></p>`;
  const { hostname, protocol } = new URL(redirectUri);
  const isLoopback = protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  if (isLoopback) {
    return html`${place}
      <p class="problem" role="note">
        That is a program on this computer. Any program on it could have asked: allow it only if you have just started
        this yourself.
      </p>`;
  }
  if (protocol === 'https:') return place;
  return html`${place}
    <p class="problem" role="note">
      That is an app on this device. Allow it only if you have just started this there yourself.
    </p>`;
}
