/** One log line a request: who asked for what, how it ended, how long it took. Never a query string, header or body. */
import type { RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { requestIdOf } from './request-id.ts';

export function accessLog(log: Logger): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    // Mounted handlers shorten the url, so the path is read before them.
    const path = withoutSecrets(pathOf(request.originalUrl));
    response.on('close', () => {
      const ms = Math.round((performance.now() - started) * 10) / 10;
      const isAnswered = response.writableFinished || response.locals[ANSWERED] === true;
      const status = isAnswered ? response.statusCode : 499;
      const line = { reqId: requestIdOf(response), method: request.method, path, status, ms };
      if (status >= 500) log.warn(line, 'request');
      else log.info(line, 'request');
    });
    next();
  };
}

/** Notes that an answer is complete although its response is kept open for the rest of the request. */
export function markAnswered(response: Response): void {
  response.locals[ANSWERED] = true;
}

const ANSWERED = 'isAnswered';

/** The path of a request line, which may name a whole address, with a user and a password in it. */
function pathOf(target: string): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';
  if (path.startsWith('/')) return path;
  return path === '' ? '/' : '(not a path)';
}

/** Some paths are secrets: of a connect link, of a link which sets an owner up, and of a request for consent under way. */
function withoutSecrets(path: string): string {
  return path
    .replace(/^(\/+(?:connect\/+(?!session\/|callback\/)|set-up\/+|oauth\/+(?:interaction|authorize)\/+)).+/i, '$1…')
    .replaceAll(/(crl_(?:live|test)_|whsec_)[\w-]+/gi, '$1…');
}
