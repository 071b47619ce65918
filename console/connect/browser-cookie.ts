/**
 * The cookie that binds a connect session to one browser. It is sent to /connect only. It cannot have the prefix
 * __Host-, which requires the path /: then every request to this install would carry it.
 */
import type { Request, Response } from 'express';
import type { Context } from '../../services/context.ts';
import type { SecretOf } from '../../services/connect/find-session.ts';
import { setCookie, isSecure, readCookies } from '../cookies.ts';

/** Returns one name per session, so that two open sessions do not overwrite each other's cookie. */
function cookieName(context: Context, sessionId: string): string {
  return `${isSecure(context) ? '__Secure-' : ''}connect-${sessionId}`;
}

/** Reads the secrets from the browser's cookies. */
export function secretsOf(context: Context, request: Request): SecretOf {
  const cookies = readCookies(request);
  return (sessionId) => cookies[cookieName(context, sessionId)];
}

/** @param expiresAt end of the session, when the cookie expires too */
export function setSecretCookie(
  context: Context,
  response: Response,
  session: { readonly id: string; readonly expiresAt: Date },
  secret: string,
): void {
  const seconds = Math.ceil((session.expiresAt.getTime() - context.clock.now().getTime()) / 1_000);
  setCookie(context, response, { name: cookieName(context, session.id), value: secret, path: '/connect', seconds });
}
