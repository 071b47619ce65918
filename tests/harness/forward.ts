/** A TCP server that passes connections on over other ones, as a pooler or proxy does. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The same URL with the port of such a server, which is closed when the test ends. */
export async function forwarded(url: string): Promise<string> {
  const target = new URL(url);
  const port = Number(target.port || 5432);
  const server = createServer((socket) => {
    const onward = connect(port, target.hostname);
    socket.pipe(onward).pipe(socket);
    for (const side of [socket, onward]) side.on('error', () => [socket, onward].forEach((each) => each.destroy()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
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
  const server = createServer((client) => {
    const onward = connect(socket);
    client.pipe(onward);
    onward.on('data', (bytes: Buffer) => {
      const at = bytes.indexOf(KEY_DATA);
      if (at !== -1) bytes.writeInt32BE(bytes.readInt32BE(at + 5) + 1, at + 5);
      client.write(bytes);
    });
    onward.on('end', () => client.end());
    for (const side of [client, onward]) side.on('error', () => [client, onward].forEach((each) => each.destroy()));
  });
  server.listen(join(folder, '.s.PGSQL.5432'));
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  return overSocket(url, folder);
}

/** The same database at a socket in a folder. */
export function overSocket(url: string, folder: string, port = '5432'): string {
  const { username, pathname } = new URL(url);
  return `postgres://${username}@${encodeURIComponent(folder)}:${port}${pathname}`;
}
