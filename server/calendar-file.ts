/**
 * GET /calendars/{secret}.ics: a calendar for applications that cannot send a key (docs/contract/calendars.md). The
 * secret in the address is the only authorization. Every invalid address gets the same answer, and each address of a
 * network counts in one bucket.
 */
import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { readCalendarFile } from '../services/calendars/read-calendar-file.ts';
import type { Context } from '../services/context.ts';
import { networkOf } from '../services/limits/network-of.ts';
import { secondsUntilReset, type WithPublicLimiter } from '../services/limits/rate-limiter.ts';

export function serveCalendarFile(context: Context & WithPublicLimiter): RequestHandler<{ fileName: string }> {
  return async (request, response) => {
    // Revoking takes effect with the next request, so the answer is stored but checked each time.
    response.setHeader('cache-control', 'private, no-cache');
    response.setHeader('x-robots-tag', 'noindex');
    const now = context.clock.now();
    const rate = await context.publicLimiter.take(`${networkOf(request.ip)} /calendars`, now);
    if (!rate.allowed) {
      response.setHeader('retry-after', secondsUntilReset(rate, now));
      response.status(429).type('text/plain').send('Too many requests. Try again later.\n');
      return;
    }
    const file = await readCalendarFile(context, request.params.fileName);
    if (file === null) {
      response.status(404).type('text/plain').send('There is no such calendar, or its address was renewed.\n');
      return;
    }
    const tag = `"${createHash('sha256').update(file).digest('base64url').slice(0, 27)}"`;
    response.setHeader('etag', tag);
    if (matches(request.headers['if-none-match'], tag)) {
      response.status(304).end();
      return;
    }
    response.setHeader('content-disposition', 'inline; filename="calendar.ics"');
    response.type('text/calendar; charset=utf-8').send(file);
  };
}

/** RFC 9110 section 13.1.2: the weak comparison. */
function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag);
}
