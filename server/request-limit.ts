/**
 * Limits the requests that one machine may have in progress through a trusted proxy, whose connections are not counted
 * by address.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { networkOf } from '../services/limits/network-of.ts';
import type { ClientAddresses } from './client-address.ts';
import { release } from './connection-limits.ts';

/** Takes a place for a request until its response closes; false when the machine has none left. */
type TakePlace = (request: IncomingMessage, response: ServerResponse) => boolean;

/** @param max requests at once from one address; for IPv6, from one /64 */
export function limitRequestsInProgress({ isTrusted, of }: ClientAddresses, max: number): TakePlace {
  const inProgress = new Map<string, number>();
  return (request, response) => {
    if (!isTrusted(request.socket.remoteAddress ?? '', 0)) return true;
    const machine = networkOf(of(request));
    const count = inProgress.get(machine) ?? 0;
    if (count >= max) return false;
    inProgress.set(machine, count + 1);
    response.once('close', () => release(inProgress, machine));
    return true;
  };
}
