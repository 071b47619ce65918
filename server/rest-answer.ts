/** Writes the answer of a REST operation: JSON, or the bytes that it stands for. */
import type { Request, Response } from 'express';
import type { RawAnswerMeta } from '../routers/trpc.ts';
import { markAnswered } from './access-log.ts';
import { discardBody } from './read-body.ts';

export interface RestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** How the body becomes bytes; undefined for JSON. */
  readonly raw?: RawAnswerMeta | undefined;
}

/** What an operation with a raw answer gives. */
interface RawBody {
  /** In base64. */
  readonly bytes: string;
  readonly contentType: string;
  readonly fileName: string;
}

/**
 * Answers at once, whether the body of the request has come or not. A body that still comes is read and dropped after
 * the answer: a client that is still sending when the connection closes sees a broken connection instead of the answer.
 */
export async function writeAnswer(request: Request, response: Response, answer: RestAnswer): Promise<void> {
  const { headers, bytes } =
    answer.raw === undefined ? asJson(answer.body) : asBytes(answer.body as RawBody, answer.raw);
  // A body that was not read to its end would otherwise be taken for the next request on this connection.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(answer.status, { ...answer.headers, ...headers, 'content-length': bytes.length });
  const sent = request.method === 'HEAD' ? undefined : bytes;
  if (request.complete || sent === undefined) return void response.end(sent);
  response.write(sent);
  markAnswered(response);
  await discardBody(request);
  response.end();
}

function asJson(body: unknown): { headers: Record<string, string>; bytes: Buffer } {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  return { headers, bytes: Buffer.from(JSON.stringify(body)) };
}

/** nosniff and a policy that lets nothing run come with every answer (server/app.ts). */
function asBytes(
  { bytes, contentType, fileName }: RawBody,
  { maxAgeSeconds }: RawAnswerMeta,
): { headers: Record<string, string>; bytes: Buffer } {
  const headers = {
    'content-type': contentType,
    'content-disposition': `inline; filename="${fileName.replaceAll(/[^\w.-]/g, '_')}"`,
    'cache-control': `private, max-age=${maxAgeSeconds}`,
    // Another key may not see it.
    vary: 'authorization, x-api-key',
  };
  return { headers, bytes: Buffer.from(bytes, 'base64') };
}
