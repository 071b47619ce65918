/** Outbound WebSockets: the same addresses, time limits and size limits as every other outbound request. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { NotSentError } from '../../platforms/http.ts';
import { createOutboundFetch } from '../../server/outbound.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Outbound calls that may reach loopback, with the given bounds. */
function outbound(options: Partial<Parameters<typeof createOutboundFetch>[0]> = {}) {
  const made = createOutboundFetch({ allow: ['127.0.0.0/8'], ...options });
  cleanups.push(() => made.close());
  return made;
}

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A WebSocket server on loopback. */
async function serve(
  onConnection: (socket: WebSocket) => void,
  options: { readonly perMessageDeflate?: boolean } = {},
): Promise<{ readonly url: string; readonly port: number; readonly sockets: WebSocketServer }> {
  const server = createServer();
  const sockets = new WebSocketServer({ server, ...options });
  sockets.on('connection', (socket) => {
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  const port = await listen(server);
  cleanups.push(() => {
    for (const socket of sockets.clients) socket.terminate();
  });
  return { url: `ws://127.0.0.1:${port}`, port, sockets };
}

/** An HTTP server on loopback that opens no WebSocket. */
async function serveHttp(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.on('upgrade', (request, socket) => {
    socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
  });
  return `ws://127.0.0.1:${await listen(server)}`;
}

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  return await promise.then(
    () => expect.unreachable('it should have failed'),
    (error) => error as Error,
  );
}

/** Resolves to whether `isTrue` became true within two seconds. */
async function soon(isTrue: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 200 && !isTrue(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  return isTrue();
}

describe('outbound WebSockets', () => {
  it('carry texts both ways, in order, until the other side closes', async () => {
    const { url } = await serve((socket) => {
      socket.on('message', (data: Buffer) => {
        for (const end of ['one', 'two']) socket.send(`${data.toString()} ${end}`);
        socket.close();
      });
    });
    const socket = await outbound().openSocket(url);
    socket.send('hello');

    expect([await socket.next(), await socket.next(), await socket.next()]).toEqual(['hello one', 'hello two', null]);
  });

  it.each([
    ['ws://127.0.0.1:7777/', '127.0.0.1 is not a public address'],
    ['ws://[::1]:7777/', '::1 is not a public address'],
    ['wss://169.254.169.254/', '169.254.169.254 is not a public address'],
    ['wss://10.0.0.1/', '10.0.0.1 is not a public address'],
  ])('reach no private network unless it is allowed: %s', async (url, message) => {
    const error = await failureOf(outbound({ allow: [] }).openSocket(url));

    expect(error).toBeInstanceOf(NotSentError);
    expect(error.message).toBe(`${message}; list it in OUTBOUND_ALLOW if this install may reach it.`);
  });

  it('check the address that a name resolves to, and connect to exactly that address', async () => {
    let answers = 0;
    const { url, sockets, port } = await serve(() => undefined);
    const lookup = async () => {
      answers += 1;
      return [{ address: answers === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }];
    };
    const socket = await outbound({ lookup }).openSocket(`ws://relay.example:${port}`);
    const refused = await failureOf(outbound({ lookup }).openSocket(url.replace('127.0.0.1', 'relay.example')));

    expect(sockets.clients.size).toBe(1);
    expect(refused).toBeInstanceOf(NotSentError);
    expect(refused.message).toContain('relay.example resolves to 10.0.0.1, which is not a public address');
    socket.close();
  });

  it('refuse an address of a public host without TLS', async () => {
    const lookup = async () => [{ address: '93.184.216.34', family: 4 }];
    const error = await failureOf(outbound({ lookup }).openSocket('ws://relay.example'));

    expect(error).toBeInstanceOf(NotSentError);
    expect(error.message).toContain('OUTBOUND_ALLOW');
  });

  it.each([
    ['https://relay.example', 'https: addresses are not fetched; use wss.'],
    ['ftp://relay.example', 'ftp: addresses are not fetched; use wss.'],
    ['wss://me:secret@relay.example', 'The address at relay.example must not carry a user name or password.'],
    ['relay.example', 'The address is not a valid URL.'],
  ])('refuse %s', async (url, message) => {
    const error = await failureOf(outbound().openSocket(url));

    expect(error).toBeInstanceOf(NotSentError);
    expect(error.message).toBe(message);
  });

  it('follow no redirect', async () => {
    const { url, sockets } = await serve(() => undefined);
    const server = createServer();
    server.on('upgrade', (_request, socket) => {
      socket.end(`HTTP/1.1 302 Found\r\nlocation: ${url.replace('ws', 'http')}\r\ncontent-length: 0\r\n\r\n`);
    });
    const error = await failureOf(outbound().openSocket(`ws://127.0.0.1:${await listen(server)}`));

    expect(error).toBeInstanceOf(NotSentError);
    expect(sockets.clients.size).toBe(0);
  });

  it('say that nothing was sent when the server refuses to open', async () => {
    const url = await serveHttp((_request, response) => response.end('no'));
    const error = await failureOf(outbound().openSocket(url));

    expect(error).toBeInstanceOf(NotSentError);
    expect(error.message).toBe(`${url.slice(5)} did not open a WebSocket connection.`);
  });

  it('do not wait for a server that takes the connection and stays silent', async () => {
    const port = await listen(createTcpServer((socket) => socket.on('error', () => undefined)));
    const error = await failureOf(
      outbound({ connectTimeoutMs: 100, silenceTimeoutMs: 100 }).openSocket(`ws://127.0.0.1:${port}`),
    );

    expect(error).toBeInstanceOf(NotSentError);
  });

  it('end when the server is silent for too long', async () => {
    const { url, sockets } = await serve(() => undefined);
    const socket = await outbound({ silenceTimeoutMs: 50 }).openSocket(url);

    expect(await socket.next()).toBeNull();
    expect(await socket.next()).toBeNull();
    expect(await soon(() => sockets.clients.size === 0)).toBe(true);
  });

  it('end when the call is aborted, also before they are open', async () => {
    const { url, sockets } = await serve(() => undefined);
    const controller = new AbortController();
    const socket = await outbound().openSocket(url, { signal: controller.signal });
    const message = socket.next();
    controller.abort();

    expect(await message).toBeNull();
    expect(await failureOf(outbound().openSocket(url, { signal: controller.signal }))).toBeInstanceOf(NotSentError);
    expect(await soon(() => sockets.clients.size === 0)).toBe(true);
  });

  it.each([
    { perMessageDeflate: false, how: 'plain' },
    { perMessageDeflate: true, how: 'compressed' },
  ])('end at a message of more than 1 MiB: $how', async ({ perMessageDeflate }) => {
    const { url } = await serve((socket) => socket.send('x'.repeat(1024 * 1024 + 1)), { perMessageDeflate });
    const socket = await outbound().openSocket(url);

    expect(await socket.next()).toBeNull();
  });

  it('end when a server sends more than the size limit in small messages', async () => {
    const { url } = await serve((socket) => {
      for (let count = 0; count < 20; count += 1) socket.send('x'.repeat(1_000));
    });
    const socket = await outbound({ maxResponseBytes: 10_000 }).openSocket(url);
    let received = 0;
    for (let text = await socket.next(); text !== null; text = await socket.next()) received += text.length;

    expect(received).toBeLessThanOrEqual(10_000);
  });

  it('end at a message that is not a text', async () => {
    const { url } = await serve((socket) => socket.send(Buffer.from([1, 2, 3])));
    const socket = await outbound().openSocket(url);

    expect(await socket.next()).toBeNull();
  });

  it('leave no connection behind at a server that ignores the close', async () => {
    const closed: Promise<void>[] = [];
    const port = await listen(
      createTcpServer((socket: Socket) => {
        closed.push(new Promise((resolve) => socket.once('close', () => resolve())));
        socket.on('error', () => undefined);
        socket.once('data', (data) => {
          const key = /sec-websocket-key: (.+)\r\n/i.exec(data.toString())?.[1] ?? '';
          socket.write(acceptance(key));
        });
      }),
    );
    const socket = await outbound().openSocket(`ws://127.0.0.1:${port}`);
    socket.close();
    let isClosed = false;
    void closed[0]?.then(() => (isClosed = true));

    expect(await soon(() => isClosed)).toBe(true);
  });

  it('end when the install stops', async () => {
    const { url, sockets } = await serve(() => undefined);
    const made = createOutboundFetch({ allow: ['127.0.0.0/8'] });
    const socket = await made.openSocket(url);
    await made.close();

    expect(await socket.next()).toBeNull();
    expect(await soon(() => sockets.clients.size === 0)).toBe(true);
  });
});

/** The answer with which a server opens a WebSocket (RFC 6455, 4.2.2). */
function acceptance(key: string): string {
  const hash = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  return `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${hash}\r\n\r\n`;
}
