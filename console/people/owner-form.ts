/** Reads a form of a signed-in owner. Nothing of a body is read for anyone else; the page's handler turns them away. */
import express, { type RequestHandler } from 'express';
import type { Context } from '../../services/context.ts';
import { signedIn } from './signed-in.ts';

/** @param limit largest body, such as `20kb` */
export function ownerForm(context: Context, limit: string): RequestHandler {
  const form = express.urlencoded({ extended: false, limit });
  return async (request, response, next) => {
    if ((await signedIn(context, request)) === null) return next();
    form(request, response, next);
  };
}
