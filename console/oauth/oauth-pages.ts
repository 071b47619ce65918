/**
 * /oauth/interaction/...: asks a user whether a client may act for them. /owner/agents: the grants that they gave
 * (docs/contract/agents.md#people). Forms and redirects; no scripts.
 */
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { validate as isUuid } from 'uuid';
import type { Context } from '../../services/context.ts';
import { scopesWithinRole } from '../../services/access/roles.ts';
import { listGrants } from '../../services/oauth/list-grants.ts';
import { postsWithoutAsking } from '../../services/oauth/posts-without-asking.ts';
import { profilesToChoose } from '../../services/oauth/profiles-to-choose.ts';
import { hasClientPolicy } from '../../services/policies/keep-client-policy.ts';
import { isClientStopped } from '../../services/stops/is-client-stopped.ts';
import { revokeGrant } from '../../services/oauth/revoke-grant.ts';
import { fieldsOf } from '../form-fields.ts';
import { ownerForm } from '../people/owner-form.ts';
import { sendFailure } from '../people/send-failure.ts';
import { sendForeignForm, sendNotice, sendPeoplePage } from '../people/send-people-page.ts';
import { csrfField, isOurForm, signedIn, type SignedInPerson, signInAddress } from '../people/signed-in.ts';
import { agentsView } from './agents-view.ts';
import type { Consent, ConsentRequests, Outcome } from './consent-requests.ts';
import { consentView, TEST_MODE, WHOLE_ACCOUNT } from './consent-view.ts';
import { sendConsentPage } from './send-consent-page.ts';

/** Maximum bytes of a form. */
const FORM_MAX = '10kb';

const CONSENT_PATH = '/oauth/interaction';
const AGENTS_PATH = '/owner/agents';

/** Mounted at the root. */
export function oauthPages(context: Context, requests: ConsentRequests): Router {
  const router = Router();
  const form = ownerForm(context, FORM_MAX);
  router.use([CONSENT_PATH, AGENTS_PATH], noStore);
  router.get(`${CONSENT_PATH}/:uid`, ask(context, requests));
  router.post(`${CONSENT_PATH}/:uid`, form, answer(context, requests));
  router.get(AGENTS_PATH, showAgents(context));
  router.post(`${AGENTS_PATH}/:grantId/revoke`, form, handleRevocation(context));
  router.use(sendFailure(context));
  return router;
}

/** Responses are for one browser and must not be cached. */
const noStore: RequestHandler = (_request, response, next) => {
  response.setHeader('cache-control', 'no-store');
  // The audit log identifies the request by it.
  response.setHeader('x-request-id', String(response.locals['requestId']));
  next();
};

function showAgents(context: Context): RequestHandler {
  return async (request, response) => {
    const person = await signedIn(context, request);
    if (person === null) return response.redirect(303, signInAddress(AGENTS_PATH));
    const { after } = request.query;
    const cursor = typeof after === 'string' && isUuid(after) ? after : undefined;
    const main = agentsView(
      await listGrants(context, person, cursor),
      csrfField(context, person),
      cursor !== undefined,
    );
    sendPeoplePage(response, { status: 200, title: 'Agents - Carillon', main });
  };
}

function handleRevocation(context: Context): RequestHandler<{ grantId: string }> {
  return async (request, response) => {
    const person = await signedIn(context, request as Request);
    if (person === null) return response.redirect(303, signInAddress(AGENTS_PATH));
    if (!isOurForm(context, request as Request, person, request.body)) return sendForeignForm(response, AGENTS_PATH);
    const { grantId } = request.params;
    const requestId = String(response.locals['requestId']);
    if (isUuid(grantId)) await revokeGrant(context, grantId, { ...person, requestId });
    response.redirect(303, AGENTS_PATH);
  };
}

function ask(context: Context, requests: ConsentRequests): RequestHandler<{ uid: string }> {
  return async (incoming, response) => {
    const request = incoming as Request;
    const pending = await requests.find(request, response, incoming.params.uid);
    const asked = pending === null ? null : await requests.withClient(request, pending);
    if (asked === null) return refuseRequest(response);
    const action = `${CONSENT_PATH}/${incoming.params.uid}`;
    const person = await signedIn(context, request);
    if (person === null) return response.redirect(303, signInAddress(action));
    const profiles = await profilesToChoose(context, person.accountId);
    const csrf = csrfField(context, person);
    const { accountId } = person;
    const { clientId } = asked;
    const asksFirst = !(await postsWithoutAsking(context, { accountId, clientId }));
    const isStopped = await isClientStopped(context, { accountId, clientId });
    const hasPolicy = await hasClientPolicy(context, { accountId, clientId, mode: 'live' });
    const main = consentView({ asked, person, profiles, action, csrf, asksFirst, isStopped, hasPolicy });
    sendConsentPage(response, main, asked.redirectUri);
  };
}

function answer(context: Context, requests: ConsentRequests): RequestHandler<{ uid: string }> {
  return async (incoming, response) => {
    const request = incoming as Request;
    const asked = await requests.find(request, response, incoming.params.uid);
    if (asked === null) return refuseRequest(response);
    const page = `${CONSENT_PATH}/${incoming.params.uid}`;
    const person = await signedIn(context, request);
    if (person === null) return response.redirect(303, signInAddress(page));
    if (!isOurForm(context, request, person, request.body)) return sendForeignForm(response, page);
    const { answer: said, reach, approval } = fieldsOf(request.body);
    // Nothing is left of the request within the person's role.
    const isEmpty = scopesWithinRole(asked.scopes, person.role).length === 0;
    if (said === 'deny') return sendOutcome(response, await requests.deny(request, response, person));
    const consent = said === 'allow' && !isEmpty ? await consentOf(context, person, { reach, approval }) : null;
    if (consent === null) return refuseChoice(response, page);
    sendOutcome(response, await requests.allow(request, response, consent));
  };
}

/** Null for an option that was not offered. */
async function consentOf(
  context: Context,
  { accountId, ownerId, email, role }: SignedInPerson,
  { reach, approval }: { readonly reach: string | undefined; readonly approval: string | undefined },
): Promise<Consent | null> {
  const rule = approval === 'required' ? 'required' : 'none';
  const whole = { accountId, ownerId, email, role, profileId: null, approval: rule } as const;
  if (reach === WHOLE_ACCOUNT) return { ...whole, mode: 'live' };
  if (reach === TEST_MODE) return { ...whole, mode: 'test' };
  const offered = await profilesToChoose(context, accountId);
  const profile = offered.find(({ id }) => id === reach);
  return profile === undefined ? null : { ...whole, profileId: profile.id, mode: 'live' };
}

function sendOutcome(response: Response, outcome: Outcome): void {
  if (outcome.to !== null) return response.redirect(303, outcome.to);
  if (outcome.why === 'no client') return refuseRequest(response);
  sendNotice(response, 409, 'Answered already', 'This request was answered already. Go back to the program.');
}

function refuseRequest(response: Response): void {
  const sentence =
    'This request was answered already, has ended or belongs to another browser. Go back to the program; if it still waits, start again there.';
  sendNotice(response, 400, 'Nothing to answer', sentence);
}

function refuseChoice(response: Response, page: string): void {
  const sentence = 'That is not one of the choices. Nothing was changed.';
  sendNotice(response, 400, 'Not taken', sentence, { to: page, text: 'Open the page again' });
}
