/**
 * The transport to webhook receivers: one post, complete with the status line, regardless of the receiver's further
 * behaviour.
 */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../server/clocks.ts';
import { createReceivers } from '../../server/receivers.ts';
import { SELF_SIGNED } from '../harness/self-signed.ts';

/** Time-outs in real milliseconds: long for receivers that answer, so that a busy machine fails no test. */
const TIMEOUT_MS = 20_000;
const SHORT_TIMEOUT_MS = 300;
const TIMED_OUT = { status: null, problem: 'The receiver did not answer within 0.3 seconds.' };
const impatient = () => open({ timeoutMs: SHORT_TIMEOUT_MS });

function open(options: Partial<Parameters<typeof createReceivers>[0]> = {}) {
  const receivers = createReceivers({
    allow: ['127.0.0.0/8', '::1'],
    clock: systemClock,
    timeoutMs: TIMEOUT_MS,
    ...options,
  });
  onTestFinished(() => receivers.close());
  return receivers;
}

const post = (url: string, receivers = open()) =>
  receivers.post(new URL(url), { 'x-service-event': 'post.sent' }, '{"a":"ü"}');

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => server.closeAllConnections());
  return listen(server);
}

/** A server whose behaviour on a connection the test chooses, after the first bytes arrive. */
function serveRaw(answer: (socket: Socket) => void): Promise<string> {
  return listen(
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
      socket.once('data', () => answer(socket));
    }),
  );
}

describe('post', () => {
  it('sends the exact body, with the given headers', async () => {
    let seen: unknown;
    const url = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen = [request.method, request.url, request.headers['x-service-event'], Buffer.concat(chunks).toString()];
        response.end();
      });
    });

    const answer = await post(`${url}/a/b?c=d`);

    expect(answer).toEqual({ status: 200 });
    expect(seen).toEqual(['POST', '/a/b?c=d', 'post.sent', '{"a":"ü"}']);
  });

  it('needs the status line only: headers that never end do not matter', async () => {
    const url = await serveRaw((socket) => {
      socket.write('HTTP/1.1 204 No Content\r\nx-slow: ');
      const drip = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(drip));
    });

    expect(await post(url)).toEqual({ status: 204 });
  });

  it('times out on a status line that drips', async () => {
    const url = await serveRaw((socket) => {
      const letters = [...'HTTP/1.1 200 OK, but very very slowly indeed'];
      const drip = setInterval(() => socket.write(letters.shift() ?? ' '), 30);
      socket.on('close', () => clearInterval(drip));
    });

    expect(await post(url, impatient())).toEqual(TIMED_OUT);
  });

  it('does not treat an interim answer as the answer', async () => {
    const url = await serveRaw((socket) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'));

    expect(await post(url, impatient())).toEqual(TIMED_OUT);
  });

  it('does not treat 100 (Continue), which it did not ask for, as a fault', async () => {
    const url = await serveRaw((socket) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      setTimeout(() => socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\n'), 20);
    });

    expect(await post(url)).toEqual({ status: 202 });
  });

  it('takes an answer that arrives in pieces', async () => {
    const url = await serveRaw((socket) => {
      const pieces = ['HTTP/1.1 20', '3 Fine\r', '\ncontent-length: 0\r\n\r\n'];
      const write = setInterval(() => socket.write(pieces.shift() ?? ''), 10);
      socket.on('close', () => clearInterval(write));
    });

    expect(await post(url)).toEqual({ status: 203 });
  });

  it('takes an answer without headers that ends with the connection', async () => {
    const url = await serveRaw((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nok'));

    expect(await post(url)).toEqual({ status: 200 });
  });

  it('times out on a server that accepts the connection and sends nothing', async () => {
    expect(await post(await serveRaw(() => undefined), impatient())).toEqual(TIMED_OUT);
  });

  it('does not read a huge body, and closes its connection', async () => {
    let written = 0;
    const url = await serve((_request, response) => {
      const more = () => {
        while (!response.destroyed && written < 100_000_000 && response.write(Buffer.alloc(65_536))) written += 65_536;
      };
      response.on('drain', more);
      more();
    });
    const receivers = open();

    expect(await post(url, receivers)).toEqual({ status: 200 });

    expect(await post(url, receivers)).toEqual({ status: 200 });
    expect(written).toBeLessThan(20_000_000);
  });

  it('does not wait for a body that drips', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200).write('x');
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    });

    const startedAt = performance.now();
    expect(await post(url)).toEqual({ status: 200 });
    expect(performance.now() - startedAt).toBeLessThan(TIMEOUT_MS);
  });

  it.each([
    [
      'closes the connection',
      (socket: Socket) => socket.end(),
      'The receiver closed the connection without an answer.',
    ],
    [
      'resets the connection',
      (socket: Socket) => socket.resetAndDestroy(),
      'The receiver closed the connection without an answer.',
    ],
    [
      'speaks another protocol, whose words are not repeated',
      (socket: Socket) => socket.write('220 secret.example ESMTP\r\n'),
      'The receiver sent an invalid HTTP response.',
    ],
    [
      'answers with endless headers',
      (socket: Socket) => socket.write(`HTTP/1.1 1${'x'.repeat(100_000)}`),
      'The receiver sent an invalid HTTP response.',
    ],
    [
      'asks for another protocol',
      (socket: Socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
      'The receiver closed the connection without an answer.',
    ],
  ])('reports one that %s', async (_case, answer, problem) => {
    expect(await post(await serveRaw(answer))).toEqual({ status: null, problem });
  });

  it('does not follow a redirect, in particular to a private address', async () => {
    let followed = false;
    const inside = await serve((_request, response) => {
      followed = true;
      response.end();
    });
    const url = await serve((_request, response) => response.writeHead(301, { location: inside }).end());

    expect(await post(url)).toEqual({ status: 301 });
    expect(followed).toBe(false);
  });

  it('refuses a certificate without a trusted issuer', async () => {
    const server = createTlsServer({ key: SELF_SIGNED.key, cert: SELF_SIGNED.certificate });
    const url = (await listen(server)).replace('http:', 'https:');

    expect(await post(url)).toEqual({
      status: null,
      problem: expect.stringMatching(/^127\.0\.0\.1 shows a certificate that cannot be trusted \([A-Z_]+\);/),
    });
  });

  it('reports that nothing listens', async () => {
    expect(await post('http://127.0.0.1:9/')).toEqual({ status: null, problem: '127.0.0.1 refused the connection.' });
  });
});

describe('the address', () => {
  it('is checked for every connection: a name that moves to a private address is not followed there', async () => {
    let posts = 0;
    const url = await serve((_request, response) => {
      posts += 1;
      response.writeHead(200, { connection: 'close' }).end();
    });
    const addresses = ['127.0.0.1', '127.0.0.9', '10.0.0.1'];
    const receivers = open({
      allow: ['127.0.0.1'],
      lookup: async () => [{ address: addresses.shift() ?? '', family: 4 }],
    });
    const target = url.replace('127.0.0.1', 'moving.example');

    const first = await post(target, receivers);
    const second = await post(target, receivers);
    const third = await post(target, receivers);

    const problem = (address: string) =>
      `moving.example resolves to ${address}, which is not a public address; list it in OUTBOUND_ALLOW if this install may reach it.`;
    expect([first, second, third]).toEqual([
      { status: 200 },
      { status: null, problem: problem('127.0.0.9') },
      { status: null, problem: problem('10.0.0.1') },
    ]);
    expect(posts).toBe(1);
  });

  it.each(['https://169.254.169.254/', 'https://10.0.0.1/', 'https://[fd00::1]/'])(
    'is not connected to when it is %s',
    async (url) => {
      const host = new URL(url).hostname.replace(/[[\]]/g, '');

      expect(await post(url, open({ allow: [] }))).toEqual({
        status: null,
        problem: `${host} is not a public address; list it in OUTBOUND_ALLOW if this install may reach it.`,
      });
    },
  );
});

describe('connections', () => {
  /** A server that reports the connection of each request. */
  async function counting(status = 200, afterAnswer: (socket: Socket) => void = () => undefined) {
    const sockets: Socket[] = [];
    const posts: number[] = [];
    const url = await serve((request, response) => {
      if (!sockets.includes(request.socket)) sockets.push(request.socket);
      posts.push(sockets.indexOf(request.socket));
      request.resume().on('end', () => response.writeHead(status).end('ok', () => afterAnswer(request.socket)));
    });
    return { url, posts };
  }

  it('are reused for the next post', async () => {
    const { url, posts } = await counting();
    const receivers = open();

    for (let index = 0; index < 3; index += 1) await post(url, receivers);

    expect(posts).toEqual([0, 0, 0]);
  });

  it('are opened only for posts at the same time', async () => {
    const { url, posts } = await counting();
    const receivers = open();
    const fourInTurn = async () => {
      for (let index = 0; index < 4; index += 1) await post(url, receivers);
    };

    await Promise.all([fourInTurn(), fourInTurn(), fourInTurn()]);

    expect(posts.toSorted((a, b) => a - b)).toEqual([0, 1, 2].flatMap((socket) => Array(4).fill(socket)));
  });

  it('that the receiver ends after each answer cost no attempt', async () => {
    const url = await serve((request, response) => {
      request.resume().on('end', () => response.writeHead(200, { connection: 'close' }).end());
    });
    const receivers = open();

    const answers = [];
    for (let index = 0; index < 3; index += 1) answers.push(await post(url, receivers));

    expect(answers).toEqual(Array.from({ length: 3 }, () => ({ status: 200 })));
  });

  it('that the receiver closed meanwhile cost no attempt', async () => {
    const { url, posts } = await counting(200, (socket) => setTimeout(() => socket.resetAndDestroy(), 5));
    const receivers = open();

    const answers = [];
    for (let index = 0; index < 4; index += 1) {
      answers.push(await post(url, receivers));
      await new Promise((resolve) => setTimeout(resolve, 3 * index));
    }

    expect(answers).toEqual(Array.from({ length: 4 }, () => ({ status: 200 })));
    expect(posts.length).toBeGreaterThanOrEqual(4);
  });

  it('are aborted when the transport closes', async () => {
    const receivers = open({ timeoutMs: 10_000 });
    const url = await serveRaw(() => receivers.close());

    expect(await post(url, receivers)).toEqual({
      status: null,
      problem: 'The receiver closed the connection without an answer.',
    });
  });
});
