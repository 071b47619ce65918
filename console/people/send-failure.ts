/** Answers unexpected errors of the owner pages with a page, which does not reveal the cause. */
import type { ErrorRequestHandler } from 'express';
import { ERRORS } from '../../errors/codes.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../../services/context.ts';
import { sendNotice } from './send-people-page.ts';

export function sendFailure(context: Context): ErrorRequestHandler {
  return (thrown, _request, response, next) => {
    if (response.headersSent) return next(thrown);
    if (thrown instanceof ServiceError) {
      if (thrown.retryAfterSeconds !== undefined) response.setHeader('retry-after', String(thrown.retryAfterSeconds));
      return sendNotice(response, ERRORS[thrown.code].status, 'Not now', thrown.message);
    }
    const said = (thrown as { status?: unknown }).status;
    const status = typeof said === 'number' && said >= 400 && said < 500 ? said : 500;
    if (status === 500) {
      context.log.error({ reqId: response.locals['requestId'] as unknown, err: thrown as unknown }, 'a request failed');
    }
    const whose = status === 500 ? 'Something failed on our side.' : 'What this browser sent cannot be read.';
    sendNotice(response, status, 'That did not work', `${whose} Go back and try again.`);
  };
}
