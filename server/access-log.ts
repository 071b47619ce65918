/** One log line a request: who asked for what, how it ended, how long it took. Never a query string, header or body. */
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { requestIdOf } from './request-id.ts';

export function accessLog(log: Logger): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    // Mounted handlers shorten the url, so the path is read before them.
    const path = withoutSecrets(request.originalUrl.split('?', 1)[0] ?? '');
    response.on('close', () => {
      const ms = Math.round((performance.now() - started) * 10) / 10;
      const status = response.writableFinished ? response.statusCode : 499;
      const line = { reqId: requestIdOf(response), method: request.method, path, status, ms };
      if (status >= 500) log.warn(line, 'request');
      else log.info(line, 'request');
    });
    next();
  };
}

/** Some paths are secrets: of a connect link, of a link which sets an owner up, and of a request for consent under way. */
function withoutSecrets(path: string): string {
  return path.replace(
    /^(\/+(?:connect\/+(?!session\/|callback\/)|set-up\/+|oauth\/+(?:interaction|authorize)\/+)).+/i,
    '$1…',
  );
}
