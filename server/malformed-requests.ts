/** Answers invalid HTTP requests, such as one with a NUL in a header, in JSON like every other refusal. */
import type { Duplex } from 'node:stream';
import { errorBody } from '../errors/error-body.ts';
import { ServiceError } from '../errors/service-error.ts';

const MESSAGES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers of the request are larger than 16 KiB together.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive as a whole in time.',
};

/**
 * Handler for `clientError` of a server. No response object exists then, so it writes the answer to the socket.
 *
 * @param isAnswering whether the connection carries the answer to another request, which must not be corrupted
 */
export function refuseMalformedRequest(error: NodeJS.ErrnoException, socket: Duplex, isAnswering: boolean): void {
  if (!socket.writable || error.code === 'ECONNRESET' || isAnswering) return void socket.destroy();
  const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
  const message =
    MESSAGES[error.code ?? ''] ?? 'The request is not valid HTTP: a header or the request line is malformed.';
  const body = JSON.stringify(errorBody(new ServiceError('invalid_request', message), '', '/docs/errors'));
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'access-control-allow-origin: *',
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
