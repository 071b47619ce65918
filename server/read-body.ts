/** Reads a request's whole body, up to a limit. */
import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../errors/codes.ts';
import { ServiceError } from '../errors/service-error.ts';

/** @throws ServiceError `code` as soon as the limit is exceeded; the rest of the body is not kept. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  code: ErrorCode = 'request_too_large',
): Promise<Buffer> {
  const tooLarge = () =>
    new ServiceError(code, `The body is larger than ${maxBytes} bytes, the most this endpoint reads.`);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxBytes) settle(() => reject(tooLarge()));
    };
    const finish = () => settle(() => resolve(Buffer.concat(chunks)));
    const fail = (cause?: unknown) =>
      settle(() => reject(new ServiceError('invalid_request', 'The body ended before it was complete.', { cause })));
    const settle = (report: () => void) => {
      // The stream outlives this: its socket still has to carry the answer.
      request.off('data', take).off('end', finish).off('error', fail).off('close', fail).pause();
      report();
    };
    if (request.destroyed) return fail();
    // An iterator of the stream takes several times as long for a small body.
    request.on('data', take).on('end', finish).on('error', fail).on('close', fail);
  });
}

/** Largest remainder of a body that is read and dropped, and the milliseconds that this may take. */
const DISCARD_MAX_BYTES = 32 * 1024 * 1024;
const DISCARD_MS = 5_000;

/** Reads and drops the rest of a refused body, within limits. */
export async function discardBody(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  if (Number(request.headers['content-length'] ?? 0) > DISCARD_MAX_BYTES) return;
  let size = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, DISCARD_MS);
  const count = (chunk: Buffer) => {
    size += chunk.length;
    if (size > DISCARD_MAX_BYTES) resolve();
  };
  const ends = ['end', 'close', 'error'] as const;
  for (const event of ends) request.once(event, resolve);
  request.on('data', count).resume();
  await promise;
  clearTimeout(timer);
  for (const event of ends) request.off(event, resolve);
  request.off('data', count);
}
