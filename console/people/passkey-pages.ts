/**
 * The forms with which owners add, use and remove passkeys. The script console/assets/scripts/passkeys.ts fills them
 * in.
 */
import type { RequestHandler, Response } from 'express';
import { validate as isUuid } from 'uuid';
import type { Context } from '../../services/context.ts';
import { addPasskey, passkeyOptions } from '../../services/people/passkeys/add-passkey.ts';
import { removePasskey } from '../../services/people/passkeys/own-passkeys.ts';
import { relyingParty } from '../../services/people/passkeys/relying-party.ts';
import { signInOptions, signInWithPasskey } from '../../services/people/passkeys/sign-in-with-passkey.ts';
import { fieldsOf } from '../form-fields.ts';
import { waitSentence } from './fields.ts';
import { localPath } from './local-path.ts';
import { forOwner } from './owner-page.ts';
import { sendForeignForm, sendNotice } from './send-people-page.ts';
import { HOME, visitOf, welcome } from './sign-in-page.ts';
import { isOurForm, signedIn, signInAddress } from './signed-in.ts';
import { isVisitorsForm } from './visitor.ts';

const TOO_OLD = 'This page is too old. Open it again.';
const FULL = 'There are twenty passkeys. Remove one first.';
const NONE_HERE = 'Passkeys need a PUBLIC_URL with a name, over https.';

/** Called by the script on /sign-in. */
export function sendSignInOptions(context: Context): RequestHandler {
  return async (request, response) => {
    const party = relyingParty(context);
    if (party === null) return sendProblem(response, 404, NONE_HERE);
    if (!isVisitorsForm(context, request, request.body)) return sendProblem(response, 403, TOO_OLD);
    response.json({ options: await signInOptions(context, party) });
  };
}

export function handlePasskeySignIn(context: Context): RequestHandler {
  return async (request, response) => {
    const { answer = '', next: asked } = fieldsOf(request.body);
    const next = localPath(context, asked);
    if (!isVisitorsForm(context, request, request.body)) return sendForeignForm(response, signInAddress(next));
    const secret = await signInWithPasskey(context, readJson(answer), visitOf(request, response));
    if (secret !== null) return welcome(context, request, response, secret, next ?? HOME);
    const sentence = 'This passkey is not known here, or its answer was used before or came too late.';
    sendNotice(response, 401, 'Not signed in', sentence, { to: signInAddress(next), text: 'Try again' });
  };
}

/** Called by the script on /owner. */
export function sendPasskeyOptions(context: Context): RequestHandler {
  return async (request, response) => {
    const [person, party] = [await signedIn(context, request), relyingParty(context)];
    if (party === null) return sendProblem(response, 404, NONE_HERE);
    if (person === null || !isOurForm(context, request, person, request.body)) {
      return sendProblem(response, 403, TOO_OLD);
    }
    const { passkeyPassword: password = '' } = fieldsOf(request.body);
    const outcome = await passkeyOptions(context, person, party, password, visitOf(request, response));
    if (outcome.kind === 'options') return void response.json({ options: outcome.options });
    if (outcome.kind === 'full') return sendProblem(response, 409, FULL);
    if (outcome.kind === 'refused') return sendProblem(response, 401, 'The password is wrong.');
    response.setHeader('retry-after', String(outcome.seconds));
    sendProblem(response, 429, waitSentence(outcome.seconds));
  };
}

export function handlePasskeyCreation(context: Context): RequestHandler {
  return forOwner(context, async (request, response, person) => {
    const { answer = '' } = fieldsOf(request.body);
    const addition = await addPasskey(context, person, readJson(answer), visitOf(request, response));
    if (addition === 'added') return response.redirect(303, `${HOME}?done=passkey`);
    if (addition === 'full') return sendNotice(response, 409, 'No passkey', FULL, { to: HOME, text: 'Your account' });
    const sentence = 'The device gave no passkey that fits, or it took longer than five minutes. Nothing was changed.';
    sendNotice(response, 400, 'No passkey', sentence, { to: HOME, text: 'Try again' });
  });
}

export function handlePasskeyRemoval(context: Context): RequestHandler {
  return forOwner(context, async (request, response, person) => {
    const { passkeyId = '' } = fieldsOf(request.body);
    if (isUuid(passkeyId)) await removePasskey(context, person, passkeyId.toLowerCase(), visitOf(request, response));
    response.redirect(303, `${HOME}?done=passkey-gone`);
  });
}

function sendProblem(response: Response, status: number, problem: string): void {
  response.status(status).json({ problem });
}

/** Null for invalid JSON. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
