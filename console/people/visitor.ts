/** Forms of users who are not signed in: their token is bound to a cookie that lasts two hours from the latest form. */
import type { Request, Response } from 'express';
import type { Context } from '../../services/context.ts';
import { sameSecret } from '../../services/secrets.ts';
import { setCookie, isSecure, readCookies } from '../cookies.ts';
import { type Html, html } from '../html.ts';
import { isFromHere } from './is-from-here.ts';

/** Long enough to leave a form open for a while. */
const GOOD_FOR_SECONDS = 7_200;

function cookieName(context: Context): string {
  return isSecure(context) ? '__Host-carillon-visit' : 'carillon-visit';
}

/** Sets the cookie for another two hours, and returns the form field that goes with it. */
export function visitorField(context: Context, request: Request, response: Response): Html {
  // Another tab may show a form that depends on the existing visit.
  const visit = shownVisit(context, request) ?? context.random.bytes(16).toString('base64url');
  sendVisit(context, response, visit);
  return html`<input type="hidden" name="csrf" value="${tokenFor(context, visit)}" />`;
}

/** Whether a form was sent from a page that this browser recently got from us. */
export function isVisitorsForm(context: Context, request: Request, body: unknown): boolean {
  const { csrf } = (body ?? {}) as { csrf?: unknown };
  const visit = shownVisit(context, request);
  if (visit === null || typeof csrf !== 'string') return false;
  return isFromHere(context, request) && sameSecret(csrf, tokenFor(context, visit));
}

function sendVisit(context: Context, response: Response, visit: string): void {
  const until = Math.ceil(context.clock.now().getTime() / 1_000) + GOOD_FOR_SECONDS;
  const signed = `${visit}.${until}`;
  const value = `${signed}.${context.signer.sign('visitCookie', signed)}`;
  setCookie(context, response, { name: cookieName(context), value, path: '/', seconds: GOOD_FOR_SECONDS });
}

/** The visit of the cookie; null if the cookie is missing, forged or expired. */
function shownVisit(context: Context, request: Request): string | null {
  const [visit = '', until = '', signature = ''] = (readCookies(request)[cookieName(context)] ?? '').split('.', 3);
  if (!context.signer.isSigned('visitCookie', `${visit}.${until}`, signature)) return null;
  return Number(until) * 1_000 > context.clock.now().getTime() ? visit : null;
}

function tokenFor(context: Context, visit: string): string {
  return context.signer.sign('visitForm', visit);
}
