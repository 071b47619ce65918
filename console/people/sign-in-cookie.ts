/** The sign-in cookie: a random secret, signed, so that a forged one is detected without the database. */
import type { Request, Response } from 'express';
import type { Context } from '../../services/context.ts';
import { LONGEST_SIGN_IN_MS } from '../../services/people/sign-ins.ts';
import { setCookie, isSecure, readCookies } from '../cookies.ts';

/** With the prefix __Host-, only this exact host can set the cookie. */
function cookieName(context: Context): string {
  return isSecure(context) ? '__Host-carillon' : 'carillon';
}

/** Returns the secret of the browser's sign-in; null when it has no validly signed cookie. */
export function shownSignIn(context: Context, request: Request): string | null {
  const [secret = '', signature = ''] = (readCookies(request)[cookieName(context)] ?? '').split('.', 2);
  return secret !== '' && context.signer.isSigned('signInCookie', secret, signature) ? secret : null;
}

/** The database decides when a sign-in ends; the cookie only has to last at least as long. */
export function setSignInCookie(context: Context, response: Response, secret: string): void {
  const value = `${secret}.${context.signer.sign('signInCookie', secret)}`;
  setCookie(context, response, { name: cookieName(context), value, path: '/', seconds: LONGEST_SIGN_IN_MS / 1_000 });
}

export function clearSignInCookie(context: Context, response: Response): void {
  setCookie(context, response, { name: cookieName(context), value: '', path: '/', seconds: 0 });
}
