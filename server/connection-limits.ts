/** Limits the connections that a process holds: in total, and from one machine that connects directly. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Clock } from '../services/clock.ts';
import { networkOf } from '../services/limits/network-of.ts';

export interface ConnectionLimits {
  /** Most connections open at once. */
  readonly maxConnections: number;
  /** Most connections from one address; for IPv6, from one /64. */
  readonly maxConnectionsPerAddress: number;
}

/** What the server provides besides the limits. */
export interface ConnectionContext {
  /** Whether an address belongs to a proxy, which connects on behalf of many clients. */
  readonly isProxy: (address: string) => boolean;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Milliseconds between two log lines about refused connections. */
const LOG_EVERY_MS = 60_000;

/** Closes excess connections without an answer, because writing an answer would cost the work that the limit saves. */
export function limitConnections(
  server: Server,
  limits: ConnectionLimits,
  { isProxy, clock, log }: ConnectionContext,
): void {
  const open = new Map<string, number>();
  const noteRefused = createRefusalLog({ clock, log }, limits);
  server.maxConnections = limits.maxConnections;
  server.on('drop', noteRefused);
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isProxy(address)) return;
    const machine = networkOf(address);
    const count = open.get(machine) ?? 0;
    if (count >= limits.maxConnectionsPerAddress) {
      noteRefused();
      socket.destroy();
      return;
    }
    open.set(machine, count + 1);
    socket.once('close', () => release(open, machine));
  });
}

/** Decrements the count of a name, and removes names whose count is 0. */
export function release(counts: Map<string, number>, name: string): void {
  const left = (counts.get(name) ?? 1) - 1;
  if (left === 0) counts.delete(name);
  else counts.set(name, left);
}

function createRefusalLog({ clock, log }: Omit<ConnectionContext, 'isProxy'>, limits: ConnectionLimits): () => void {
  let refused = 0;
  let loggedAt = -LOG_EVERY_MS;
  return () => {
    refused += 1;
    if (clock.elapsed() - loggedAt < LOG_EVERY_MS) return;
    log.warn({ refused, ...limits }, 'connections were refused: there were too many');
    loggedAt = clock.elapsed();
    refused = 0;
  };
}
