/**
 * Writes one log line per request: the caller, the path, the status and the duration. Never logs a query string, header
 * or body.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../services/context.ts';
import { requestIdOf } from './request-id.ts';

/** Writes the line when the response closes. */
export function logAccess(
  { clock, log, tracer }: Pick<Context, 'clock' | 'log' | 'tracer'>,
  request: IncomingMessage,
  response: ServerResponse & Marked,
): void {
  const started = clock.elapsed();
  // Express shortens the url of mounted handlers, so the path is read before them.
  const path = withoutSecrets(pathOf(request.url ?? ''));
  const writeLine = () => {
    const ms = Math.round((clock.elapsed() - started) * 10) / 10;
    const isAnswered = response.writableFinished || response[ANSWERED] === true;
    const status = isAnswered ? response.statusCode : 499;
    const line = { reqId: requestIdOf(response), method: request.method, path, status, ms };
    if (status >= 500) log.warn(line, 'request');
    else log.info(line, 'request');
  };
  response.on('close', tracer.bind(writeLine));
}

const ANSWERED = Symbol('is answered');

interface Marked {
  [ANSWERED]?: boolean;
}

/** Marks an answer as complete although its response stays open for the rest of the request. */
export function markAnswered(response: ServerResponse & Marked): void {
  response[ANSWERED] = true;
}

/** The path of a request line. The line may name a whole address, including a user and a password. */
function pathOf(target: string): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';
  if (path.startsWith('/')) return path;
  return path === '' ? '/' : '(not a path)';
}

/**
 * Removes secrets from paths: those of connect links, of links that set up an owner, of calendars, and of pending consent
 * requests. All that follows is removed, because a secret is also read when its characters are percent-encoded.
 */
function withoutSecrets(path: string): string {
  return path
    .replace(
      /^(\/+(?:connect\/+(?!session\/|callback\/)|set-up\/+|oauth\/+(?:interaction|authorize)\/+|calendars\/+)).+/i,
      '$1…',
    )
    .replaceAll(/(crl_(?:live|test)_|whsec_|cal_)[\w-]+/gi, '$1…');
}
