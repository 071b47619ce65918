/** A TCP proxy that follows a server which moves, is slow, or is gone. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

export interface TcpProxy {
  readonly port: number;
  /** Milliseconds by which each packet is delayed, in both directions. */
  delayMs: number;
  /** Sends new connections to this port of loopback, or refuses them with null; present ones are cut. */
  lead(port: number | null): void;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  let to: number | null = target;
  const sockets = new Set<Socket>();
  const proxy = { port: 0, delayMs: 0, lead };

  function lead(port: number | null): void {
    to = port;
    for (const socket of sockets) socket.destroy();
  }

  /** Passes packets on in their order, each after the delay. */
  const pass = (from: Socket, onward: Socket) => {
    let last: Promise<unknown> = Promise.resolve();
    const delayed = (send: () => void) => {
      const due = wait(proxy.delayMs);
      last = last.then(() => due).then(send);
    };
    from.on('data', (packet) => delayed(() => onward.write(packet)));
    from.on('end', () => delayed(() => onward.end()));
  };

  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (to === null) return socket.destroy();
    const onward = connect({ port: to, host: '127.0.0.1', allowHalfOpen: true });
    for (const [side, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(side);
      side.setNoDelay(true);
      side.on('error', () => other.destroy());
      side.on('close', () => {
        sockets.delete(side);
        other.destroy();
      });
      pass(side, other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.port = (server.address() as AddressInfo).port;
  onTestFinished(() => {
    server.close();
    lead(null);
  });
  return proxy;
}
