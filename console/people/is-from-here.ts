/** Checks by the request's headers whether it came from a page of this install. */
import type { Request } from 'express';
import type { Context } from '../../services/context.ts';

/**
 * Browsers send the origin `null` for pages with the referrer policy no-referrer, as ours have. Then
 * Sec-Fetch-Site decides. Over plain http that header is missing, so only the form's token decides.
 */
export function isFromHere(context: Context, request: Request): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin') return false;
  return origin === undefined || origin === 'null' || origin === context.config.publicUrl;
}
