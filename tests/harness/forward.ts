/** A TCP server that passes connections on over other ones, as a pooler or proxy does. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
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
