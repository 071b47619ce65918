/**
 * GET /owner/media/{mediaId}: an image for the pages of a signed-in person, at an address that an <img> can load: the
 * browser sends the cookie. Not counted, because a page shows dozens at once and the browser keeps them.
 */
import { type RequestHandler, Router } from 'express';
import { signedIn } from '../console/people/signed-in.ts';
import { ServiceError } from '../errors/service-error.ts';
import { isUuid } from '../routers/schemas/common.ts';
import type { Context } from '../services/context.ts';
import { mediaNotFound } from '../services/media/find-media.ts';
import { readMediaBytes } from '../services/media/read-media-bytes.ts';
import { ownerCaller } from '../services/people/owner-caller.ts';

/** An image never changes, but it may be deleted. */
const MAX_AGE_SECONDS = 3_600;

export function ownerMedia(context: Context): Router {
  const router = Router();
  router.get('/:mediaId', sendImage(context));
  return router;
}

function sendImage(context: Context): RequestHandler<{ mediaId: string }> {
  return async (request, response) => {
    // Other sites can neither show nor read it: the cookie is not sent to them, and the browser keeps the answer here.
    response.setHeader('cross-origin-resource-policy', 'same-origin');
    response.setHeader('cache-control', 'no-store');
    const person = await signedIn(context, request);
    if (person === null) throw new ServiceError('unauthorized', 'No one is signed in in this browser.');
    const site = request.headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      throw new ServiceError('forbidden', 'Another site cannot load this image.');
    }
    const mediaId = request.params.mediaId.toLowerCase();
    if (!isUuid(mediaId)) throw mediaNotFound(mediaId.slice(0, 80));
    const { bytes, contentType, fileName } = await readMediaBytes(context, ownerCaller(person), mediaId);
    response.setHeader('cache-control', `private, max-age=${MAX_AGE_SECONDS}`);
    response.setHeader('vary', 'cookie');
    response.setHeader('content-disposition', `inline; filename="${fileName}"`);
    response.type(contentType).send(Buffer.from(bytes));
  };
}
