/**
 * Reads a form of a signed-in owner. Without a sign-in, the body is not read and the page's handler refuses the
 * request.
 */
import type { RequestHandler } from 'express';
import type { Context } from '../../services/context.ts';
import { formBody } from '../form-body.ts';
import { signedIn } from './signed-in.ts';

/** @param limit maximum size of the body, such as `20kb` */
export function ownerForm(context: Context, limit: string): RequestHandler {
  const form = formBody(limit);
  return async (request, response, next) => {
    if ((await signedIn(context, request)) === null) return next();
    form(request, response, next);
  };
}
