/** Reads the form that a page sent. Browsers send the forms of our pages in UTF-8, so anything else was not typed there. */
import { isUtf8 } from 'node:buffer';
import express, { type RequestHandler } from 'express';
import { isPercentEncodedUtf8 } from '../services/percent-encoding.ts';

/** @param limit largest size of the body, such as `20kb` */
export function formBody(limit: string): RequestHandler {
  const verify = (_request: unknown, _response: unknown, body: Buffer, encoding: string) => {
    if (encoding !== 'utf-8' || (isUtf8(body) && isPercentEncodedUtf8(body.toString()))) return;
    throw Object.assign(new Error('The form is not in UTF-8.'), { status: 400 });
  };
  return express.urlencoded({ extended: false, limit, verify });
}
