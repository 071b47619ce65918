/**
 * GET /media/public/:platformId/:mediaId: an image for a platform that fetches it (docs/contract/media.md#uploads).
 * Needs no key and sets no cookie: the signature in the address is the only authorization. Every invalid address gets
 * the same answer.
 */
import type { RequestHandler } from 'express';
import type { Context } from '../services/context.ts';
import { createPublicImages } from '../services/media/read-public-image.ts';

/** @see services/media/image-address.ts */
export function servePublicImage(context: Context): RequestHandler<{ platformId: string; mediaId: string }> {
  const publicImage = createPublicImages(context);
  return async (request, response) => {
    const { platformId, mediaId } = request.params;
    const { expires, signature } = request.query;
    const image =
      typeof expires === 'string' && typeof signature === 'string'
        ? await publicImage({ platformId, mediaId, expires }, signature)
        : null;
    response.setHeader('cache-control', 'no-store');
    if (image === null) {
      response.status(404).type('text/plain').send('There is no such image, or its address has expired.\n');
      return;
    }
    response.type(image.contentType).send(Buffer.from(image.bytes));
  };
}
