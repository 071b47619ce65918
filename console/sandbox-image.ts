/** GET /sandbox/media/:postId/:position: an image of a sandbox post, for the public pages. Needs no key. */
import type { Request, RequestHandler } from 'express';
import { validate as isUuid } from 'uuid';
import { ServiceError } from '../errors/service-error.ts';
import type { Context } from '../services/context.ts';
import { networkOf } from '../services/limits/network-of.ts';
import { secondsUntilReset } from '../services/limits/rate-limiter.ts';
import { createSandboxImages } from '../services/sandbox/sandbox-images.ts';
import type { WithPublicLimiter } from '../services/limits/rate-limiter.ts';

/** Seconds for which a browser may cache an image; short, because its post can be taken down. */
const MAX_AGE_SECONDS = 60;

export function serveSandboxImage(
  context: Context & WithPublicLimiter,
): RequestHandler<{ postId: string; position: string }> {
  const findImage = createSandboxImages(context);
  return async (request, response) => {
    await countRequest(context, request.ip);
    const { postId, position } = request.params;
    const named = isUuid(postId) && /^[0-9]$/.test(position);
    const file = named ? await findImage(postId, Number(position)) : null;
    if (file !== null && isKnown(request.headers, file.etag)) {
      response.status(304).set(cachingOf(file.etag)).end();
      return;
    }
    const image = (await file?.read()) ?? null;
    if (file === null || image === null) {
      response.status(404).type('text/plain').send('There is no such image, or it was freed.\n');
      return;
    }
    const { bytes, contentType } = image;
    response.set(cachingOf(file.etag)).type(contentType);
    // A view instead of a copy: many responses may be sending the same image at once.
    response.send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  };
}

/** @throws ServiceError too many requests */
async function countRequest(context: Context & WithPublicLimiter, ip: string | undefined): Promise<void> {
  const now = context.clock.now();
  const state = await context.publicLimiter.take(`${networkOf(ip)} GET /sandbox/media`, now);
  if (!state.allowed)
    throw new ServiceError('too many requests', undefined, { retryAfterSeconds: secondsUntilReset(state, now) });
}

function cachingOf(etag: string): Record<string, string> {
  return { 'cache-control': `public, max-age=${MAX_AGE_SECONDS}`, etag };
}

/** Whether the browser's copy is current; ETags that a proxy made weak match too (RFC 9110, 13.1.2). */
function isKnown({ 'if-none-match': tags }: Request['headers'], etag: string): boolean {
  return tags?.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag) ?? false;
}
