/** Servers that pass connections on over other ones, as poolers and proxies do. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The same URL with the port of such a server, which is closed when the test ends. */
export async function forwarded(url: string): Promise<string> {
  const target = new URL(url);
  const port = Number(target.port || 5432);
  const server = passingOn(() => connect(port, target.hostname));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  target.port = String((server.address() as AddressInfo).port);
  return target.href;
}

/** What the server tells each client once: the number of its session and a secret. */
const KEY_DATA = Buffer.from([0x4b, 0, 0, 0, 12]);

/**
 * A URL of the database over file system sockets, through a server that numbers its sessions itself, as poolers do.
 *
 * @param socket the socket of PostgreSQL
 */
export async function renumbered(url: string, socket: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-socket-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const renumber = (bytes: Buffer) => {
    const at = bytes.indexOf(KEY_DATA);
    if (at !== -1) bytes.writeInt32BE(bytes.readInt32BE(at + 5) + 1, at + 5);
  };
  // It listens first to what arrives, so the change is in the bytes that are passed on.
  const server = passingOn(() => connect(socket).on('data', renumber));
  server.listen(join(folder, '.s.PGSQL.5432'));
  await once(server, 'listening');
  return overSocket(url, folder);
}

/** The same database at a socket in a folder. */
export function overSocket(url: string, folder: string, port = '5432'): string {
  const { username, pathname } = new URL(url);
  return `postgres://${username}@${encodeURIComponent(folder)}:${port}${pathname}`;
}

/** @param open makes the connection onward for each client */
function passingOn(open: () => Socket): Server {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    void passOn(socket, open).catch(() => socket.destroy());
  });
  onTestFinished(() => void server.close());
  return server;
}

async function passOn(socket: Socket, open: () => Socket): Promise<void> {
  const onward = await connectFromOtherPort(open, socket.remotePort);
  socket.pipe(onward).pipe(socket);
  for (const side of [socket, onward]) side.on('error', () => [socket, onward].forEach((each) => each.destroy()));
}

/**
 * A connection with another port at this end than that of the client. The system may give both the same, because they lead to
 * different servers; the database then sees the port of the client, as on a direct connection.
 */
async function connectFromOtherPort(open: () => Socket, clientPort: number | undefined): Promise<Socket> {
  const onward = open();
  await once(onward, 'connect');
  if (clientPort === undefined || onward.localPort !== clientPort) return onward;
  // Only while it is open is its port not given again.
  const other = await connectFromOtherPort(open, clientPort);
  onward.destroy();
  return other;
}
