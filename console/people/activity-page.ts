/** /owner/activity: requests in the account of the signed-in user, newest first. */
import type { RequestHandler } from 'express';
import { validate as isUuid } from 'uuid';
import { type AuditEntryView, listAudit } from '../../services/audit/list-audit.ts';
import { AUDIT_KEPT_DAYS } from '../../services/audit/audit-kept-days.ts';
import type { Context } from '../../services/context.ts';
import { ownerCaller } from '../../services/people/owner-caller.ts';
import { type Html, html } from '../html.ts';
import { sendPeoplePage } from './send-people-page.ts';
import { HOME } from './sign-in-page.ts';
import { signedIn, signInAddress } from './signed-in.ts';
import { timeView } from './time-view.ts';

const PATH = '/owner/activity';

/** Entries per page. */
const PAGE = 50;

const ACTORS: Readonly<Record<AuditEntryView['actor']['kind'], string>> = {
  key: 'API key',
  oauth_client: 'Agent',
  person: 'Person',
  customer: 'Customer of',
  operator: 'Operator',
};

export function showActivity(context: Context): RequestHandler {
  return async (request, response) => {
    const person = await signedIn(context, request);
    if (person === null) return response.redirect(303, signInAddress(PATH));
    const { before } = request.query;
    const startingAfter = typeof before === 'string' && isUuid(before) ? before : undefined;
    const page = await listAudit(context, ownerCaller(person), { limit: PAGE, startingAfter });
    const main = activityView(page.entries, page.nextCursor, startingAfter !== undefined);
    sendPeoplePage(response, { status: 200, title: 'Activity', main });
  };
}

function activityView(entries: readonly AuditEntryView[], next: string | null, isLater: boolean): Html {
  return html`<section class="panel" aria-labelledby="heading">
    <h1 id="heading">Activity</h1>
    <p>Who asked for which change in your account, and how it ended. Kept for ${AUDIT_KEPT_DAYS} days.</p>
    ${entries.length === 0 && html`<p>There is nothing ${isLater ? 'older' : 'yet'}.</p>`}
    ${
      entries.length > 0 &&
      html`<ol class="rows">
        ${entries.map(entryRow)}
      </ol>`
    }
    ${next !== null && html`<a class="way" href="${PATH}?before=${next}">Older</a>`}
    ${isLater && html`<a class="way" href="${PATH}">Newest</a>`}
    <a class="way" href="${HOME}">Your account</a>
  </section>`;
}

function entryRow({ at, actor, surface, operation, object, outcome }: AuditEntryView): Html {
  return html`<li>
    <p><code>${operation}</code>: ${outcomeWords(outcome)}</p>
    <p dir="auto">
      ${ACTORS[actor.kind]}${actor.kind !== 'operator' && html` <strong>${actor.name}</strong>`} (${surface})
    </p>
    ${object !== null && objectView(object)}
    <p class="hint">${timeView(new Date(at))}</p>
  </li>`;
}

function objectView({ type, ids }: NonNullable<AuditEntryView['object']>): Html {
  const more = ids.length - 1;
  return html`<p class="hint">
    ${type.replaceAll('_', ' ')} <code>${ids[0]}</code>${more > 0 && ` and ${more} more`}
  </p>`;
}

function outcomeWords(outcome: AuditEntryView['outcome']): Html {
  if (outcome === null) return html`not known to have ended`;
  return outcome === 'ok' ? html`done` : html`refused, <code>${outcome}</code>`;
}
