/**
 * The consent question: which client asks, where the response goes, what it may do, and which profiles it can
 * access. The widest access is the last option, and the narrowest is preselected.
 */
import { type Role, scopesWithinRole } from '../../services/access/roles.ts';
import { SCOPES } from '../../services/access/scopes.ts';
import type { ProfileChoice } from '../../services/oauth/profiles-to-choose.ts';
import type { SignedInPerson } from '../../services/people/sign-ins.ts';
import { type Html, html } from '../html.ts';
import { type ConsentRequest, redirectHost } from './consent-requests.ts';

export interface ConsentView {
  readonly asked: ConsentRequest;
  readonly person: Pick<SignedInPerson, 'email' | 'role'>;
  readonly profiles: readonly ProfileChoice[];
  /** Path to which the decision is posted. */
  readonly action: string;
  readonly csrf: Html;
  /** Whether it asks before anything goes out, unless the person decides otherwise. */
  readonly asksFirst: boolean;
  /** Whether it is stopped, so that nothing it posts goes out before the release. */
  readonly isStopped: boolean;
  /** Whether it has a policy, which the new access follows unless it is in test mode. */
  readonly hasPolicy: boolean;
}

/** Option values other than profile ids. */
export const WHOLE_ACCOUNT = 'account';
export const TEST_MODE = 'test';

export function consentView(view: ConsentView): Html {
  const { asked, person, profiles, action, csrf, asksFirst, isStopped, hasPolicy } = view;
  const scopes = scopesWithinRole(asked.scopes, person.role);
  const isEmpty = scopes.length === 0;
  const posts = scopes.includes('posts:write');
  return html`<section class="panel consent" aria-labelledby="heading">
    <h1 id="heading">Allow <span dir="auto">${asked.clientName}</span>?</h1>
    <p>
      This program asks to act for you (${person.email}). It chose its name itself. What you can rely on is where your
      answer goes:
    </p>
    ${destination(asked)} ${!isEmpty && html`<h2>It asks to</h2>`}
    ${
      !isEmpty &&
      html`<ul class="scopes">
        ${scopes.map((scope) => html`<li>${SCOPES[scope]}</li>`)}
      </ul>`
    }
    ${asked.asksForApi && html`<p>It asks for the API, where it is not asked again before a call.</p>`}
    ${roleNote(asked, person.role)} ${isStopped && STOPPED} ${hasPolicy && posts && LIMITED}
    <form method="post" action="${action}">
      ${csrf} ${posts && asksFirst && approvalField(true)}
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
      ${posts && !asksFirst && approvalField(false)}
      <div>
        ${!isEmpty && html`<button class="primary" type="submit" name="answer" value="allow">Allow</button>`}
        <button type="submit" name="answer" value="deny">Deny</button>
      </div>
    </form>
    <p class="hint">
      You can revoke this at any time under Agents. API keys and webhooks that it creates have the same limits, and end
      with it.
    </p>
  </section>`;
}

const STOPPED = html`<p class="problem" role="note">
  This agent is stopped, and stays stopped when you allow it: nothing it posts goes out until an owner releases it under
  Stops.
</p>`;

const LIMITED = html`<p class="problem" role="note">
  A policy limits what this agent posts. Outside of test mode, it also limits the access that you give now. Owners
  change it under Policies.
</p>`;

/** First and ticked until a person has let the client post without asking, so that the default never ends the rule. */
function approvalField(isChecked: boolean): Html {
  const box = isChecked
    ? html`<input
        type="checkbox"
        id="approval"
        name="approval"
        value="required"
        checked
        aria-describedby="approval-hint"
      />`
    : html`<input type="checkbox" id="approval" name="approval" value="required" aria-describedby="approval-hint" />`;
  return html`<div class="field box-field">
    ${box}
    <label for="approval">Ask me before anything goes out</label>
    <p class="hint" id="approval-hint">
      What it writes waits as a draft until an owner approves it. It can still delete and take down posts.
    </p>
  </div>`;
}

/** What the client asks for and the person cannot give, because their role does not have it. */
function roleNote({ scopes }: ConsentRequest, role: Role): Html | false {
  const within = new Set(scopesWithinRole(scopes, role));
  const beyond = scopes.filter((scope) => !within.has(scope));
  if (beyond.length === 0) return false;
  return html`<p>Your role, ${role}, cannot give it the rest of what it asks for:</p>
    <ul class="scopes">
      ${beyond.map((scope) => html`<li>${SCOPES[scope]}</li>`)}
    </ul>`;
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
