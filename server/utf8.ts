/** Refuses requests whose text is not UTF-8: decoding would put replacement characters in its place, which would be published. */
import { isAscii, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import express, { type RequestHandler } from 'express';
import { ServiceError } from '../errors/service-error.ts';
import { isPercentEncodedUtf8 } from '../services/percent-encoding.ts';

/**
 * Node itself refuses bytes of the request line that are not ASCII.
 *
 * @throws ServiceError invalid_request
 */
export function parseQuery(search: string): URLSearchParams {
  if (isPercentEncodedUtf8(search)) return new URLSearchParams(search);
  const message = 'The query is not in UTF-8. Percent-encode its values as UTF-8, such as %C3%BC for ü.';
  throw new ServiceError('invalid_request', message);
}

/** @throws TypeError */
export function decodeUtf8(body: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(body);
}

export function notJson(cause?: unknown): ServiceError {
  return new ServiceError('invalid_request', 'The body is not valid JSON in UTF-8.', { cause });
}

/**
 * Watches a JSON body that another reader takes. Call it in the tick in which that one starts, because listening makes the body
 * flow. A body that ends within a character is no JSON anyway.
 *
 * @returns whether everything that has arrived is UTF-8
 */
export function watchBody(request: IncomingMessage): () => boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [isPlain, isIntact] = [true, true];
  request.on('data', (chunk: Buffer) => {
    // Decoding takes longer, and images in base64 need none.
    isPlain &&= isAscii(chunk);
    if (isPlain || !isIntact) return;
    try {
      decoder.decode(chunk, { stream: true });
    } catch {
      isIntact = false;
    }
  });
  return () => isIntact;
}

/** Reads a JSON body of the operator's endpoints. @param limit largest size, such as `10kb` */
export function jsonBody(limit: string): RequestHandler {
  const verify = (_request: unknown, _response: unknown, body: Buffer, encoding: string) => {
    if (encoding === 'utf-8' && !isUtf8(body)) throw notJson();
  };
  return express.json({ limit, verify });
}
