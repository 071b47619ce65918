/**
 * Limits the requests that one machine may have in progress through a trusted proxy, whose connections are not counted
 * by address.
 */
import type { Request, RequestHandler } from 'express';
import { errorBody } from '../errors/error-body.ts';
import { ServiceError } from '../errors/service-error.ts';
import { networkOf } from '../services/limits/network-of.ts';
import { release } from './connection-limits.ts';

/** @param max requests at once from one address; for IPv6, from one /64 */
export function limitRequestsInProgress(max: number): RequestHandler {
  const inProgress = new Map<string, number>();
  return (request, response, next) => {
    if (!isProxied(request)) return next();
    const machine = networkOf(request.ip ?? '');
    const count = inProgress.get(machine) ?? 0;
    if (count >= max) {
      response.setHeader('retry-after', '1');
      response.status(429).json(errorBody(new ServiceError('too many requests'), '', ''));
      return;
    }
    inProgress.set(machine, count + 1);
    response.once('close', () => release(inProgress, machine));
    next();
  };
}

function isProxied(request: Request): boolean {
  const isTrusted = request.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return isTrusted(request.socket.remoteAddress ?? '', 0);
}
