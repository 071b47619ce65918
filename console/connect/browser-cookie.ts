/**
 * The cookie that ties a connect session to one browser. It is sent to /connect only, so it cannot have the
 * prefix __Host-, which wants the path /: everything else of the install would get it with every request.
 */
import type { Request, Response } from 'express';
import type { Context } from '../../services/context.ts';
import type { SecretOf } from '../../services/connect/find-session.ts';

/** One a session, so that two that are open side by side do not take each other's. */
function cookieName(context: Context, sessionId: string): string {
  return `${isSecure(context) ? '__Secure-' : ''}connect-${sessionId}`;
}

function isSecure(context: Context): boolean {
  return context.config.publicUrl.startsWith('https:');
}

/** Reads the secrets that the browser shows. */
export function secretsOf(context: Context, request: Request): SecretOf {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('=', 2));
  const cookies = new Map(pairs.map(([name = '', value = '']) => [name, value]));
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
  const attributes = ['Path=/connect', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax'];
  if (isSecure(context)) attributes.push('Secure');
  response.append('set-cookie', [`${cookieName(context, session.id)}=${secret}`, ...attributes].join('; '));
}
