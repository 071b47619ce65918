/** The cookie in which a browser keeps its sign-in: a random secret, signed, so that an invented one is told without the database. */
import type { Request, Response } from 'express';
import type { Context } from '../../services/context.ts';
import { LONGEST_SIGN_IN_MS } from '../../services/people/sign-ins.ts';
import { giveCookie, isSecure, readCookies } from '../cookies.ts';

/** Nobody but this very host can set one with the prefix __Host-. */
function cookieName(context: Context): string {
  return isSecure(context) ? '__Host-carillon' : 'carillon';
}

/** The secret of the browser's sign-in; null where it shows none that was made here. */
export function shownSignIn(context: Context, request: Request): string | null {
  const [secret = '', signature = ''] = (readCookies(request).get(cookieName(context)) ?? '').split('.', 2);
  return secret !== '' && context.signer.isSigned('signInCookie', secret, signature) ? secret : null;
}

/** The database says when a sign-in ends; the cookie only has to last as long. */
export function giveSignIn(context: Context, response: Response, secret: string): void {
  const value = `${secret}.${context.signer.sign('signInCookie', secret)}`;
  giveCookie(context, response, { name: cookieName(context), value, path: '/', seconds: LONGEST_SIGN_IN_MS / 1_000 });
}

export function takeSignInAway(context: Context, response: Response): void {
  giveCookie(context, response, { name: cookieName(context), value: '', path: '/', seconds: 0 });
}
