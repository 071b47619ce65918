/**
 * The cookie that ties a connect session to one browser. It is sent to /connect only, so it cannot have the
 * prefix __Host-, which wants the path /: everything else of the install would get it with every request.
 */
import type { Request, Response } from 'express';
import type { Context } from '../../services/context.ts';
import type { SecretOf } from '../../services/connect/find-session.ts';
import { giveCookie, isSecure, readCookies } from '../cookies.ts';

/** One a session, so that two that are open side by side do not take each other's. */
function cookieName(context: Context, sessionId: string): string {
  return `${isSecure(context) ? '__Secure-' : ''}connect-${sessionId}`;
}

/** Reads the secrets that the browser shows. */
export function secretsOf(context: Context, request: Request): SecretOf {
  const cookies = readCookies(request);
  return (sessionId) => cookies.get(cookieName(context, sessionId));
}

/** @param expiresAt end of the session, with which the cookie ends too */
export function giveSecret(
  context: Context,
  response: Response,
  session: { readonly id: string; readonly expiresAt: Date },
  secret: string,
): void {
  const seconds = Math.ceil((session.expiresAt.getTime() - context.clock.now().getTime()) / 1_000);
  giveCookie(context, response, { name: cookieName(context, session.id), value: secret, path: '/connect', seconds });
}
