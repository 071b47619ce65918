/** /owner: the page of a signed-in owner: password, signed-in browsers, and links to other pages. */
import type { Request, RequestHandler, Response } from 'express';
import { validate as isUuid } from 'uuid';
import { roleRefusal } from '../../services/access/require-scope.ts';
import type { Context } from '../../services/context.ts';
import { changePassword } from '../../services/people/change-password.ts';
import { endOwnSignIn } from '../../services/people/end-own-sign-in.ts';
import { listPasskeys } from '../../services/people/passkeys/own-passkeys.ts';
import { relyingParty } from '../../services/people/passkeys/relying-party.ts';
import { listSignIns, type SignedInPerson } from '../../services/people/sign-ins.ts';
import { listDisabledWebhooks } from '../../services/webhooks/list-disabled.ts';
import { fieldsOf } from '../form-fields.ts';
import { waitSentence } from './fields.ts';
import { ownerView } from './owner-view.ts';
import { PASSKEY_SCRIPT } from './passkey-views.ts';
import { sendForeignForm, sendNotice, sendPeoplePage } from './send-people-page.ts';
import { HOME, visitOf } from './sign-in-page.ts';
import { isOurForm, signedIn, signInAddress } from './signed-in.ts';

/** Results of an action, as the redirect URL names them. */
const NOTICES: Readonly<Record<string, string>> = {
  password: 'Your password is changed. Every other browser was signed out.',
  'signed-out': 'That browser is signed out.',
  passkey: 'The passkey is added.',
  'passkey-gone': 'The passkey is removed. Your device may still show it.',
};

export function showOwner(context: Context): RequestHandler {
  return async (request, response) => {
    const person = await signedIn(context, request);
    if (person === null) return response.redirect(303, signInAddress(HOME));
    const { done } = request.query;
    const said = (typeof done === 'string' && Object.hasOwn(NOTICES, done) && NOTICES[done]) || null;
    await sendOwner(context, response, person, { status: 200, said, problem: null });
  };
}

export function handlePasswordChange(context: Context): RequestHandler {
  return forOwner(context, async (request, response, person) => {
    const { password = '', newPassword = '' } = fieldsOf(request.body);
    const refuse = (status: number, problem: string) =>
      sendOwner(context, response, person, { status, said: null, problem });
    const outcome = await changePassword(context, person, { password, newPassword }, visitOf(request, response));
    if (outcome.kind === 'unfit') return refuse(400, `The new password ${outcome.problem}.`);
    if (outcome.kind === 'refused') return refuse(401, 'The current password is wrong. Nothing was changed.');
    if (outcome.kind === 'fits') return response.redirect(303, `${HOME}?done=password`);
    response.setHeader('retry-after', String(outcome.seconds));
    await refuse(429, waitSentence(outcome.seconds));
  });
}

export function handleSignInEnd(context: Context): RequestHandler {
  return forOwner(context, async (request, response, person) => {
    const { signInId = '' } = fieldsOf(request.body);
    if (isUuid(signInId)) await endOwnSignIn(context, person, signInId.toLowerCase(), visitOf(request, response));
    response.redirect(303, `${HOME}?done=signed-out`);
  });
}

type OwnerHandler = (request: Request, response: Response, person: SignedInPerson) => Promise<unknown>;

/** Runs the action of a form of this page for the signed-in user. */
export function forOwner(context: Context, handle: OwnerHandler): RequestHandler {
  return async (request, response) => {
    const person = await signedIn(context, request);
    if (person === null) return response.redirect(303, signInAddress(HOME));
    if (!isOurForm(context, request, person, request.body)) return sendForeignForm(response, HOME);
    await handle(request, response, person);
  };
}

/** Like {@link forOwner}, for the pages that people of other roles do not have. */
export function forOwnersOnly(context: Context, handle: OwnerHandler): RequestHandler {
  return forOwner(context, async (request, response, person) => {
    if (person.role !== 'owner') return refuseRole(response, person);
    await handle(request, response, person);
  });
}

export function refuseRole(response: Response, { role }: SignedInPerson): void {
  sendNotice(response, 403, 'For owners', roleRefusal(role, null).message, { to: HOME, text: 'Your account' });
}

interface OwnerPageState {
  readonly status: number;
  readonly said: string | null;
  readonly problem: string | null;
}

async function sendOwner(
  context: Context,
  response: Response,
  person: SignedInPerson,
  { status, said, problem }: OwnerPageState,
): Promise<void> {
  const signIns = await listSignIns(context, person);
  const passkeys = relyingParty(context) === null ? null : await listPasskeys(context, person);
  const script = passkeys === null ? undefined : PASSKEY_SCRIPT;
  const webhooks = await listDisabledWebhooks(context, person.accountId);
  const main = ownerView(context, person, { signIns, passkeys, webhooks, said, problem });
  sendPeoplePage(response, { status, title: 'Your account', main, script });
}
