/** Whether a browser says that a request came from a page of this install. */
import type { Request } from 'express';
import type { Context } from '../../services/context.ts';

/**
 * Browsers say `null` for the origin of a page that names itself to nobody, as ours do; then Sec-Fetch-Site tells,
 * and over plain http, where there is none, the token of the form alone.
 */
export function isFromHere(context: Context, request: Request): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin') return false;
  return origin === undefined || origin === 'null' || origin === context.config.publicUrl;
}
