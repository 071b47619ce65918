/**
 * Writes one log line per request: the caller, the path, the status and the duration. Never logs a query string, header
 * or body.
 */
import type { RequestHandler, Response } from 'express';
import type { Context } from '../services/context.ts';
import { requestIdOf } from './request-id.ts';

export function accessLog({ clock, log, tracer }: Pick<Context, 'clock' | 'log' | 'tracer'>): RequestHandler {
  return (request, response, next) => {
    const started = clock.elapsed();
    // Mounted handlers shorten the url, so the path is read before them.
    const path = withoutSecrets(pathOf(request.originalUrl));
    const writeLine = () => {
      const ms = Math.round((clock.elapsed() - started) * 10) / 10;
      const isAnswered = response.writableFinished || response.locals[ANSWERED] === true;
      const status = isAnswered ? response.statusCode : 499;
      const line = { reqId: requestIdOf(response), method: request.method, path, status, ms };
      if (status >= 500) log.warn(line, 'request');
      else log.info(line, 'request');
    };
    response.on('close', tracer.bind(writeLine));
    next();
  };
}

/** Marks an answer as complete although its response stays open for the rest of the request. */
export function markAnswered(response: Response): void {
  response.locals[ANSWERED] = true;
}

const ANSWERED = 'isAnswered';

/** The path of a request line. The line may name a whole address, including a user and a password. */
function pathOf(target: string): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';
  if (path.startsWith('/')) return path;
  return path === '' ? '/' : '(not a path)';
}

/**
 * Removes secrets from paths: those of connect links, of links that set up an owner, of calendars, and of pending consent requests.
 */
function withoutSecrets(path: string): string {
  return path
    .replace(/^(\/+(?:connect\/+(?!session\/|callback\/)|set-up\/+|oauth\/+(?:interaction|authorize)\/+)).+/i, '$1…')
    .replaceAll(/(crl_(?:live|test)_|whsec_|cal_)[\w-]+/gi, '$1…');
}
