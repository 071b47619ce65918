/** Writes the answer of a REST operation: JSON, or the bytes that the body encodes. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RawAnswerMeta } from '../routers/meta.ts';
import { markAnswered } from './access-log.ts';
import { discardBody } from './read-body.ts';
import { endWithText } from './end-with-text.ts';

export interface RestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** How the body is converted to bytes; undefined for JSON. */
  readonly raw?: RawAnswerMeta | undefined;
}

/** The result of an operation with a raw answer. */
interface RawBody {
  /** In base64. */
  readonly bytes: string;
  readonly contentType: string;
  readonly fileName: string;
}

/**
 * Answers at once, whether or not the request's body has arrived. A body that is still arriving is read and dropped
 * after the answer. A client that is still sending when the connection closes would see a broken connection instead of
 * the answer.
 */
export async function writeAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: RestAnswer,
): Promise<void> {
  const { headers, content } =
    answer.raw === undefined ? asJson(answer.body) : asBytes(answer.body as RawBody, answer.raw);
  // An unread rest of the body would otherwise be parsed as the next request on this connection.
  if (!request.complete) response.setHeader('connection', 'close');
  const length = Buffer.byteLength(content);
  response.writeHead(answer.status, { ...answer.headers, ...headers, 'content-length': length });
  if (request.method === 'HEAD') return void response.end();
  if (request.complete && typeof content === 'string') return endWithText(response, content, length);
  if (request.complete) return void response.end(content);
  response.write(content);
  markAnswered(response);
  await discardBody(request);
  response.end();
}

/** What is written after the headers. Text is written together with them, in one call of the system. */
interface Content {
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | Buffer;
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

function asJson(body: unknown): Content {
  return { headers: JSON_HEADERS, content: JSON.stringify(body) };
}

/** server/app.ts adds nosniff and a policy that blocks all scripts to every answer. */
function asBytes({ bytes, contentType, fileName }: RawBody, { maxAgeSeconds }: RawAnswerMeta): Content {
  const headers = {
    'content-type': contentType,
    'content-disposition': `inline; filename="${fileName.replaceAll(/[^\w.-]/g, '_')}"`,
    'cache-control': `private, max-age=${maxAgeSeconds}`,
    // The cached answer must not be served to another key.
    vary: 'authorization, x-api-key',
  };
  return { headers, content: Buffer.from(bytes, 'base64') };
}
