/** Who is signed in, and whether a form that came is one of ours: what every page for owners asks first. */
import type { Request } from 'express';
import type { Context } from '../../services/context.ts';
import { findSignIn, type SignedInPerson } from '../../services/people/sign-ins.ts';
import { sameSecret } from '../../services/secrets.ts';
import { type Html, html } from '../html.ts';
import { isFromHere } from './is-from-here.ts';
import { shownSignIn } from './sign-in-cookie.ts';

export type { SignedInPerson } from '../../services/people/sign-ins.ts';

/** The person whose browser it is; null where nobody is signed in. API keys sign nobody in. */
export async function signedIn(context: Context, request: Request): Promise<SignedInPerson | null> {
  const secret = shownSignIn(context, request);
  return secret === null ? null : findSignIn(context, secret);
}

/** Where to send whoever is not signed in. @param next path to come back to */
export function signInAddress(next: string): string {
  return `/sign-in?${new URLSearchParams({ next }).toString()}`;
}

/** Goes into every form of a page for a person who is signed in. */
export function csrfField(context: Context, person: Pick<SignedInPerson, 'signInId'>): Html {
  return html`<input type="hidden" name="csrf" value="${tokenFor(context, person)}" />`;
}

/**
 * Whether a form was sent from a page that this person's browser got from us. Where it was not, answer
 * with sendForeignForm of send-people-page.ts and do nothing.
 *
 * @param body the form's fields, as express.urlencoded reads them
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

/** Header in which scripts of our pages send {@link csrfToken}. Other sites' scripts cannot: it takes a preflight. */
const CSRF_HEADER = 'x-carillon-csrf';

/** For a script of a page for a person who is signed in. */
export function csrfToken(context: Context, person: Pick<SignedInPerson, 'signInId'>): string {
  return tokenFor(context, person);
}

/** Whether a call was made by a script of a page that this person's browser got from us. The browser has to say so too. */
export function isOurCall(context: Context, request: Request, person: Pick<SignedInPerson, 'signInId'>): boolean {
  const { origin, 'sec-fetch-site': site, [CSRF_HEADER]: csrf } = request.headers;
  const isNear = site === undefined ? origin === context.config.publicUrl : site === 'same-origin';
  return isNear && typeof csrf === 'string' && sameSecret(csrf, tokenFor(context, person));
}

function tokenFor(context: Context, { signInId }: Pick<SignedInPerson, 'signInId'>): string {
  return context.signer.sign('signInForm', signInId);
}
