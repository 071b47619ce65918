/** Gives every request a unique id, which its answer and its log lines carry. */
import type { RequestHandler, Response } from 'express';
import type { Random } from '../services/clock.ts';

export function giveRequestId(random: Random): RequestHandler {
  return (_request, response, next) => {
    response.locals['requestId'] = random.uuid();
    next();
  };
}

export function requestIdOf(response: Response): string {
  return String(response.locals['requestId']);
}
