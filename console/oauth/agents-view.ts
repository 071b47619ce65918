/** The grants of a user to agents, and the form that revokes each. */
import { SCOPES } from '../../services/access/scopes.ts';
import type { GrantView } from '../../services/oauth/list-grants.ts';
import type { Page } from '../../services/paging.ts';
import { type Html, html } from '../html.ts';

/** @param isLater whether it is not the first page */
export function agentsView({ items: grants, nextCursor }: Page<GrantView>, csrf: Html, isLater: boolean): Html {
  return html`<h1>Agents</h1>
    <p class="lead">
      Programs that you have allowed to act for you; owners see those of everyone in the account. What you revoke ends
      at once, with the API keys and webhooks that the program created.
    </p>
    ${
      grants.length === 0 &&
      html`<p class="panel absent">${isLater ? 'There are no more.' : 'No program may act for you.'}</p>`
    }
    ${grants.map((grant) => grantView(grant, csrf))}
    ${nextCursor !== null && html`<p><a class="way" href="/owner/agents?after=${nextCursor}">More agents</a></p>`}
    ${isLater && html`<p><a class="way" href="/owner/agents">The first agents</a></p>`}`;
}

function grantView(grant: GrantView, csrf: Html): Html {
  const { id, clientName, redirectHost, givenBy, scopes, createdAt, lastUsedAt } = grant;
  return html`<section class="panel grant" aria-labelledby="grant-${id}">
    <h2 id="grant-${id}" dir="auto">${clientName}</h2>
    <dl>
      <div>
        <dt>Answers go to</dt>
        <dd dir="ltr">${redirectHost}</dd>
      </div>
      <div>
        <dt>It can</dt>
        <dd>
          <ul class="scopes">
            ${scopes.map((scope) => html`<li>${SCOPES[scope]}</li>`)}
          </ul>
        </dd>
      </div>
      <div>
        <dt>It reaches</dt>
        <dd dir="auto">${reachOf(grant)}</dd>
      </div>
      <div>
        <dt>Allowed by</dt>
        <dd dir="auto">${givenBy}</dd>
      </div>
      <div>
        <dt>Since</dt>
        <dd>${instant(createdAt)}</dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>${lastUsedAt === null ? 'Never' : instant(lastUsedAt)}</dd>
      </div>
    </dl>
    <form method="post" action="/owner/agents/${id}/revoke">
      ${csrf}
      <button type="submit" aria-describedby="grant-${id}">Revoke</button>
    </form>
  </section>`;
}

function reachOf({ profileName, mode }: GrantView): string {
  const place = profileName === null ? 'Whole account' : `Only the profile ${profileName}`;
  return mode === 'test' ? 'Test mode only' : place;
}

function instant(at: Date): Html {
  const text = at.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
