/** GET /sandbox/media/:postId/:position: an image of a sandbox post, for the public pages. Needs no key. */
import type { RequestHandler } from 'express';
import { validate as isUuid } from 'uuid';
import type { Context } from '../services/context.ts';
import { sandboxImage } from '../services/sandbox/sandbox-image.ts';

/** Seconds a browser may keep an image; short, because its post can be taken down. */
const MAX_AGE_SECONDS = 60;

export function serveSandboxImage(context: Context): RequestHandler<{ postId: string; position: string }> {
  return async (request, response) => {
    const { postId, position } = request.params;
    const named = isUuid(postId) && /^[0-9]$/.test(position);
    const image = named ? await sandboxImage(context, postId, Number(position)) : null;
    if (image === null) {
      response.status(404).type('text/plain').send('There is no such image, or it was freed.\n');
      return;
    }
    response.setHeader('cache-control', `public, max-age=${MAX_AGE_SECONDS}`);
    response.type(image.contentType).send(Buffer.from(image.bytes));
  };
}
