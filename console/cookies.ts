/** Reads and sets cookies. */
import type { Request, Response } from 'express';
import type { Context } from '../services/context.ts';

/** By name. */
export function readCookies(request: Request): ReadonlyMap<string, string> {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('=', 2));
  return new Map(pairs.map(([name = '', value = '']) => [name, value]));
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
export function giveCookie(context: Context, response: Response, { name, value, path, seconds }: Cookie): void {
  const attributes = [`Path=${path}`, `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax'];
  if (isSecure(context)) attributes.push('Secure');
  response.append('set-cookie', [`${name}=${value}`, ...attributes].join('; '));
}
