/** /oauth/interaction/...: a person is asked whether a program may act for them. /owner/agents: what they have allowed (D23). Forms and redirects; no scripts. */
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { validate as isUuid } from 'uuid';
import type { Context } from '../../services/context.ts';
import { listGrants } from '../../services/oauth/list-grants.ts';
import { profilesToChoose } from '../../services/oauth/profiles-to-choose.ts';
import { revokeGrant } from '../../services/oauth/revoke-grant.ts';
import { csrfField, isOurForm, signedIn, signInAddress } from '../people/signed-in.ts';
import { agentsView } from './agents-view.ts';
import type { Consent, ConsentRequests } from './consent-requests.ts';
import { consentView, TEST_MODE, WHOLE_ACCOUNT } from './consent-view.ts';
import { notice, sendOauthPage } from './send-oauth-page.ts';

type Person = NonNullable<Awaited<ReturnType<typeof signedIn>>>;

const form = express.urlencoded({ extended: false, limit: '10kb' });

/** Mounted at the root. */
export function oauthPages(context: Context, requests: ConsentRequests): Router {
  const router = Router();
  router.get('/oauth/interaction/:uid', ask(context, requests));
  router.post('/oauth/interaction/:uid', form, answer(context, requests));
  router.get('/owner/agents', async (request, response) => {
    const person = await signedIn(context, request);
    if (person === null) return response.redirect(303, signInAddress('/owner/agents'));
    const main = agentsView(await listGrants(context, person), csrfField(context, person));
    sendOauthPage(context, response, { status: 200, title: 'Agents - Carillon', main, hasForm: true });
  });
  router.post('/owner/agents/:grantId/revoke', form, async (request, response) => {
    const person = await signedIn(context, request);
    if (person === null) return response.redirect(303, signInAddress('/owner/agents'));
    if (!isOurForm(context, request, person, request.body)) return refuseForm(context, response);
    const { grantId } = request.params;
    if (typeof grantId === 'string' && isUuid(grantId)) await revokeGrant(context, grantId, person.ownerId);
    response.redirect(303, '/owner/agents');
  });
  return router;
}

function ask(context: Context, requests: ConsentRequests): RequestHandler<{ uid: string }> {
  return async (request, response) => {
    const { uid } = request.params;
    const asked = await requests.find(request as Request, response, uid);
    if (asked === null) return refuseRequest(context, response);
    const person = await signedIn(context, request as Request);
    const action = `/oauth/interaction/${uid}`;
    if (person === null) return response.redirect(303, signInAddress(action));
    const profiles = await profilesToChoose(context, person.accountId);
    const csrf = csrfField(context, person);
    const main = consentView({ asked, email: person.email, profiles, action, csrf });
    const title = 'Allow an agent? - Carillon';
    const leadsTo = asked.redirectUri;
    sendOauthPage(context, response, { status: 200, title, main, layout: 'connect', hasForm: true, leadsTo });
  };
}

function answer(context: Context, requests: ConsentRequests): RequestHandler<{ uid: string }> {
  return async (incoming, response) => {
    const request = incoming as Request;
    const asked = await requests.find(request, response, incoming.params.uid);
    if (asked === null) return refuseRequest(context, response);
    const person = await signedIn(context, request);
    if (person === null) return response.redirect(303, signInAddress(`/oauth/interaction/${incoming.params.uid}`));
    if (!isOurForm(context, request, person, request.body)) return refuseForm(context, response);
    const { answer: said, reach } = request.body as Record<string, unknown>;
    if (said === 'deny') return goOn(response, await requests.deny(request, response));
    const consent = said === 'allow' ? await consentOf(context, person, reach) : null;
    if (consent === null) return refuseChoice(context, response);
    goOn(response, await requests.allow(request, response, consent));
  };
}

/** Null for a choice that was not offered. */
async function consentOf(context: Context, { accountId, ownerId }: Person, reach: unknown): Promise<Consent | null> {
  const whole = { accountId, ownerId, profileId: null };
  if (reach === WHOLE_ACCOUNT) return { ...whole, mode: 'live' };
  if (reach === TEST_MODE) return { ...whole, mode: 'test' };
  const offered = await profilesToChoose(context, accountId);
  const profile = offered.find(({ id }) => id === reach);
  return profile === undefined ? null : { ...whole, profileId: profile.id, mode: 'live' };
}

function goOn(response: Response, to: string): void {
  response.setHeader('cache-control', 'no-store');
  response.redirect(303, to);
}

function refuseRequest(context: Context, response: Response): void {
  const sentence = 'This request is over, or another browser made it. Go back to the program and begin again.';
  refuse(context, response, 400, 'Nothing to answer', sentence);
}

function refuseForm(context: Context, response: Response): void {
  const sentence = 'This form was not made for you, or it is old. Go back, load the page again and answer there.';
  refuse(context, response, 403, 'Not taken', sentence);
}

function refuseChoice(context: Context, response: Response): void {
  const sentence = 'That was not among the choices. Go back, load the page again and choose anew.';
  refuse(context, response, 400, 'Not taken', sentence);
}

function refuse(context: Context, response: Response, status: number, title: string, sentence: string): void {
  sendOauthPage(context, response, { status, title, main: notice(title, sentence), layout: 'connect' });
}
