/**
 * /owner/keys: an owner creates, lists and revokes the keys for the whole account
 * (docs/contract/profiles-and-keys.md#account-keys).
 */
import type { RequestHandler, Response } from 'express';
import { validate as isUuid } from 'uuid';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../../services/context.ts';
import { KEY_NAME_MAX } from '../../services/keys/create-account-key.ts';
import { listAccountKeys } from '../../services/keys/list-account-keys.ts';
import { createOwnerKey } from '../../services/people/create-owner-key.ts';
import { revokeOwnerKey } from '../../services/people/revoke-owner-key.ts';
import type { SignedInPerson } from '../../services/people/sign-ins.ts';
import { fieldsOf } from '../form-fields.ts';
import { waitSentence } from './fields.ts';
import { type KeysView, keysView, NOTHING_TYPED } from './keys-view.ts';
import { forOwnersOnly, refuseRole } from './owner-page.ts';
import { sendPeoplePage } from './send-people-page.ts';
import { visitOf } from './sign-in-page.ts';
import { csrfField, signedIn, signInAddress } from './signed-in.ts';

const PATH = '/owner/keys';

/** Results of an action, as the redirect URL names them. */
const NOTICES: Readonly<Record<string, string>> = { revoked: 'The key is revoked. It stopped working at once.' };

export function showKeys(context: Context): RequestHandler {
  return async (request, response) => {
    const person = await signedIn(context, request);
    if (person === null) return response.redirect(303, signInAddress(PATH));
    if (person.role !== 'owner') return refuseRole(response, person);
    const { done } = request.query;
    const said = (typeof done === 'string' && Object.hasOwn(NOTICES, done) && NOTICES[done]) || null;
    await sendKeys(context, response, person, { status: 200, said });
  };
}

/** This response itself shows the secret, because no other page could read it again. */
export function handleKeyCreation(context: Context): RequestHandler {
  return forOwnersOnly(context, async (request, response, person) => {
    const { name = '', type, password = '' } = fieldsOf(request.body);
    const typed = { name, isLive: type === 'live' };
    const refuse = (status: number, problem: string) => sendKeys(context, response, person, { status, problem, typed });
    const trimmed = name.trim();
    const isName = trimmed !== '' && [...trimmed].length <= KEY_NAME_MAX && !trimmed.includes('\0');
    if (!isName || !trimmed.isWellFormed()) return refuse(400, `A name has 1 to ${KEY_NAME_MAX} characters.`);
    if (type !== 'live' && type !== 'test') return refuse(400, 'A key is live or test.');
    const wanted = { name: trimmed, type, password } as const;
    const outcome = await orProblem(createOwnerKey(context, person, wanted, visitOf(request, response)));
    if (outcome instanceof ServiceError) return refuse(403, outcome.message);
    if (outcome.kind === 'made') return sendKeys(context, response, person, { status: 200, secret: outcome.secret });
    if (outcome.kind === 'refused') return refuse(401, 'The password is wrong. Nothing was changed.');
    response.setHeader('retry-after', String(outcome.seconds));
    await refuse(429, waitSentence(outcome.seconds));
  });
}

export function handleKeyRevocation(context: Context): RequestHandler {
  return forOwnersOnly(context, async (request, response, person) => {
    const { keyId = '', what } = fieldsOf(request.body);
    const revocation = { keyId: keyId.toLowerCase(), includeMinted: what === 'minted' };
    const outcome = isUuid(keyId)
      ? await orProblem(revokeOwnerKey(context, person, revocation, visitOf(request, response)))
      : new ServiceError('not_found', 'There is no such key.');
    if (outcome instanceof ServiceError) {
      return sendKeys(context, response, person, { status: 404, problem: outcome.message });
    }
    response.redirect(303, `${PATH}?done=revoked`);
  });
}

/** Messages for expected failures. */
async function orProblem<T>(work: Promise<T>): Promise<T | ServiceError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

async function sendKeys(
  context: Context,
  response: Response,
  person: SignedInPerson,
  { status, ...shown }: Partial<Omit<KeysView, 'keys'>> & { readonly status: number },
): Promise<void> {
  const keys = await listAccountKeys(context, person.accountId);
  const view = { secret: null, said: null, problem: null, typed: NOTHING_TYPED, ...shown, keys };
  sendPeoplePage(response, { status, title: 'API keys', main: keysView(view, csrfField(context, person)) });
}
