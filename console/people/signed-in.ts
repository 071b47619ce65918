/** Finds the signed-in user and checks whether a form is one of ours. Every owner page does this first. */
import type { Request } from 'express';
import type { Context } from '../../services/context.ts';
import { findSignIn, type SignedInPerson } from '../../services/people/sign-ins.ts';
import { sameSecret } from '../../services/secrets.ts';
import { type Html, html } from '../html.ts';
import { isFromHere } from './is-from-here.ts';
import { shownSignIn } from './sign-in-cookie.ts';

export type { SignedInPerson } from '../../services/people/sign-ins.ts';

/** The user whose browser this is; null if none is signed in. An API key is no sign-in. */
export async function signedIn(context: Context, request: Request): Promise<SignedInPerson | null> {
  const secret = shownSignIn(context, request);
  return secret === null ? null : findSignIn(context, secret);
}

/** Sign-in URL for users who are not signed in. @param next path to return to; null for the default page */
export function signInAddress(next: string | null): string {
  if (next === null) return '/sign-in';
  return `/sign-in?${new URLSearchParams({ next }).toString()}`;
}

/** CSRF field for every form of a signed-in user. */
export function csrfField(context: Context, person: Pick<SignedInPerson, 'signInId'>): Html {
  return html`<input type="hidden" name="csrf" value="${tokenFor(context, person)}" />`;
}

/**
 * Whether a form was sent from a page that this user's browser got from us. If not, answer with sendForeignForm
 * of send-people-page.ts and do nothing.
 *
 * @param body the form's fields, as express.urlencoded parses them
 */
export function isOurForm(
  context: Context,
  request: Request,
  person: Pick<SignedInPerson, 'signInId'>,
  body: unknown,
): boolean {
  const { csrf } = (body ?? {}) as { csrf?: unknown };
  return isFromHere(context, request) && typeof csrf === 'string' && sameSecret(csrf, tokenFor(context, person));
}

/** Header in which our scripts send {@link csrfToken}. Scripts of other sites cannot: it requires a preflight. */
const CSRF_HEADER = 'x-carillon-csrf';

/** CSRF token for a script of a signed-in user's page. */
export function csrfToken(context: Context, person: Pick<SignedInPerson, 'signInId'>): string {
  return tokenFor(context, person);
}

/**
 * Whether a script of a page that this user's browser got from us made the call. The browser's headers must
 * confirm it.
 */
export function isOurCall(context: Context, request: Request, person: Pick<SignedInPerson, 'signInId'>): boolean {
  const { origin, 'sec-fetch-site': site, [CSRF_HEADER]: csrf } = request.headers;
  const isNear = site === undefined ? origin === context.config.publicUrl : site === 'same-origin';
  return isNear && typeof csrf === 'string' && sameSecret(csrf, tokenFor(context, person));
}

function tokenFor(context: Context, { signInId }: Pick<SignedInPerson, 'signInId'>): string {
  return context.signer.sign('signInForm', signInId);
}
