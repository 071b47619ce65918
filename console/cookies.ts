/** Reads and sets cookies. */
import { parseCookie, type SetCookie, stringifySetCookie } from 'cookie';
import type { Request, Response } from 'express';
import type { Context } from '../services/context.ts';

/** By name. */
export function readCookies(request: Request): Readonly<Record<string, string | undefined>> {
  return parseCookie(request.headers.cookie ?? '');
}

/** Whether this install is served over https, so that cookies can be restricted to it. */
export function isSecure(context: Context): boolean {
  return context.config.publicUrl.startsWith('https:');
}

export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly seconds: number;
}

/** Sets a cookie that scripts cannot read and that other sites' forms do not send. */
export function setCookie(context: Context, response: Response, { name, value, path, seconds }: Cookie): void {
  const cookie: SetCookie = { name, value, path, maxAge: seconds, httpOnly: true, sameSite: 'lax' };
  response.append('set-cookie', stringifySetCookie({ ...cookie, secure: isSecure(context) }));
}
