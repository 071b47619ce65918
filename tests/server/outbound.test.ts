import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { NotSentError } from '../../platforms/http.ts';
import { addressVerdict, parseAllowList } from '../../server/outbound-addresses.ts';
import { createOutboundFetch } from '../../server/outbound.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** An outbound fetch that may reach loopback, with the given bounds. */
function outbound(options: Partial<Parameters<typeof createOutboundFetch>[0]> = {}) {
  const made = createOutboundFetch({ allow: ['127.0.0.0/8'], ...options });
  cleanups.push(() => made.close());
  return made.fetch;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A loopback HTTP server; returns its origin. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  cleanups.push(() => server.closeAllConnections());
  return `http://127.0.0.1:${await listen(server)}`;
}

/** A loopback TCP server whose answers the test writes; returns its port. */
async function serveTcp(onConnection: (socket: Socket) => void): Promise<number> {
  return await listen(
    createTcpServer((socket) => {
      socket.on('error', () => {});
      cleanups.push(() => socket.destroy());
      onConnection(socket);
    }),
  );
}

/** A loopback port without a listener. */
async function unused(): Promise<number> {
  const server = createTcpServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
}

/** Resolves when a socket is closed, also after an error, for which events.once would throw. */
async function closing(socket: Socket): Promise<void> {
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}

/** The error of a rejected promise. */
async function failureOf(promise: Promise<unknown>): Promise<Error> {
  return await promise.then(
    () => expect.unreachable('it should have failed'),
    (error) => error,
  );
}

describe('addressVerdict', () => {
  const allow = parseAllowList(['192.168.7.0/24', '10.1.2.3', 'fd00:1::/32']);

  it.each([
    ['93.184.216.34', 'public'],
    ['2606:2800:220:1:248:1893:25c8:1946', 'public'],
    ['::ffff:93.184.216.34', 'public'],
    ['64:ff9b::5db8:d822', 'public'],
    ['192.168.7.9', 'allowed'],
    ['::ffff:192.168.7.9', 'allowed'],
    ['::ffff:c0a8:709', 'allowed'],
    ['10.1.2.3', 'allowed'],
    ['fd00:1::5', 'allowed'],
    ['10.1.2.4', 'refused'],
    ['192.168.8.1', 'refused'],
    ['172.16.0.1', 'refused'],
    ['172.31.255.255', 'refused'],
    ['127.0.0.1', 'refused'],
    ['127.255.0.1', 'refused'],
    ['0.0.0.0', 'refused'],
    ['0.1.2.3', 'refused'],
    ['169.254.169.254', 'refused'],
    ['168.63.129.16', 'refused'],
    ['100.64.0.1', 'refused'],
    ['100.100.100.200', 'refused'],
    ['192.0.0.192', 'refused'],
    ['192.0.2.1', 'refused'],
    ['198.18.0.1', 'refused'],
    ['224.0.0.1', 'refused'],
    ['240.0.0.1', 'refused'],
    ['255.255.255.255', 'refused'],
    ['::', 'refused'],
    ['::1', 'refused'],
    ['::127.0.0.1', 'refused'],
    ['::ffff:127.0.0.1', 'refused'],
    ['::ffff:7f00:1', 'refused'],
    ['::ffff:a9fe:a9fe', 'refused'],
    ['::ffff:0:127.0.0.1', 'refused'],
    ['64:ff9b::7f00:1', 'refused'],
    ['64:ff9b::c0a8:709', 'refused'],
    ['64:ff9b:1::5db8:d822', 'refused'],
    ['2002:7f00:1::', 'refused'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'refused'],
    ['2001:db8::1', 'refused'],
    ['fe80::1', 'refused'],
    ['fe80::1%eth0', 'refused'],
    ['fec0::1', 'refused'],
    ['fc00::1', 'refused'],
    ['fd00:ec2::254', 'refused'],
    ['ff02::1', 'refused'],
    ['4000::1', 'refused'],
    ['010.0.0.1', 'refused'],
    ['0x5db8d822', 'refused'],
    ['1572395042', 'refused'],
    ['93.184.55330', 'refused'],
    ['not an address', 'refused'],
    ['', 'refused'],
  ])('judges %s as %s', (address, verdict) => {
    expect(addressVerdict(address, allow)).toBe(verdict);
  });
});

describe('parseAllowList', () => {
  it.each([
    '10.0.0.0/33',
    '10.0.0/8',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/x',
    'localhost',
    '',
    'fe80::1%lo',
  ])('refuses %j and names it', (entry) => {
    expect(() => parseAllowList(['10.0.0.0/8', entry])).toThrow(`'${entry}' is neither`);
  });
});

describe('refusals before anything is sent', () => {
  it.each([
    ['http://127.0.0.1/', '127.0.0.1 is not a public address; list it in OUTBOUND_ALLOW'],
    ['https://127.0.0.1/', '127.0.0.1 is not a public address'],
    ['https://2130706433/', '127.0.0.1 is not a public address'],
    ['https://0177.0.0.1/', '127.0.0.1 is not a public address'],
    ['https://0x7f.1/', '127.0.0.1 is not a public address'],
    ['https://127.1/', '127.0.0.1 is not a public address'],
    ['https://①②⑦.0.0.1/', '127.0.0.1 is not a public address'],
    ['https://[::ffff:127.0.0.1]/', '::ffff:7f00:1 is not a public address'],
    ['https://[::1]:8443/', '::1 is not a public address'],
    ['https://169.254.169.254/latest/meta-data', '169.254.169.254 is not a public address'],
    [
      'http://93.184.216.34/',
      '93.184.216.34 is allowed over plain http only if its addresses are in OUTBOUND_ALLOW; use https.',
    ],
    ['https://alice:secret@example.com/', 'The address at example.com must not carry a user name or password.'],
    ['ftp://example.com/', 'ftp: addresses are not fetched; use https.'],
    ['file:///etc/passwd', 'file: addresses are not fetched'],
    ['data:text/plain,hi', 'data: addresses are not fetched'],
    ['/relative', 'The address is not a valid URL.'],
  ])('%s', async (url, message) => {
    const failure = await failureOf(outbound({ allow: [] })(url));

    expect(failure).toBeInstanceOf(NotSentError);
    expect(failure.message).toContain(message);
  });

  it('names the private address that a host name resolves to', async () => {
    const fetch = outbound({ lookup: async () => [{ address: '10.0.0.5', family: 4 }] });

    const failure = await failureOf(fetch('https://internal.example/'));

    expect(failure).toBeInstanceOf(NotSentError);
    expect(failure.message).toBe(
      'internal.example resolves to 10.0.0.5, which is not a public address; list it in OUTBOUND_ALLOW if this install may reach it.',
    );
  });

  it('refuses plain http to a host name with public addresses', async () => {
    const fetch = outbound({ lookup: async () => [{ address: '93.184.216.34', family: 4 }] });

    expect(await failureOf(fetch('http://example.com/'))).toBeInstanceOf(NotSentError);
  });

  it('does not quote a header that is not valid HTTP, because it may be a credential', async () => {
    const failure = await failureOf(outbound()('https://example.com/', { headers: { authorization: 'hunter2\nx' } }));

    expect(failure).toBeInstanceOf(NotSentError);
    expect(failure.message + String(failure.cause)).not.toContain('hunter2');
  });
});

describe('the connection uses the checked address', () => {
  it('resolves once per request, and checks every new answer', async () => {
    const origin = await serve((_, response) => response.end('reached'));
    const answers = ['127.0.0.1', '127.0.0.9', '127.0.0.1'];
    let lookups = 0;
    const fetch = outbound({
      allow: ['127.0.0.1'],
      lookup: async () => [{ address: answers[lookups++] ?? '', family: 4 }],
    });
    const url = origin.replace('127.0.0.1', 'rebind.example');

    expect(await (await fetch(url)).text()).toBe('reached');
    expect((await failureOf(fetch(url))).message).toContain('rebind.example resolves to 127.0.0.9');
    expect(await (await fetch(url)).text()).toBe('reached');
    expect(lookups).toBe(3);
  });

  it('skips the refused addresses of a host', async () => {
    const origin = await serve((request, response) => response.end(request.socket.localAddress));
    const fetch = outbound({
      allow: ['127.0.0.1'],
      lookup: async () => ['10.0.0.5', '127.0.0.1', '127.0.0.9'].map((address) => ({ address, family: 4 })),
    });

    const response = await fetch(origin.replace('127.0.0.1', 'mixed.example'));

    expect(await response.text()).toBe('127.0.0.1');
  });
});

describe('requests and answers', () => {
  it('returns a standard Response with status, headers and body', async () => {
    const origin = await serve((_, response) => {
      response.writeHead(201, { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] }).end('{"ok":true}');
    });

    const response = await outbound()(`${origin}/things`);

    expect(response).toBeInstanceOf(Response);
    expect(response.status).toBe(201);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await response.json()).toEqual({ ok: true });
  });

  it.each([
    ['a string', 'ding', 'ding', 'text/plain;charset=UTF-8'],
    ['bytes', new TextEncoder().encode('dong'), 'dong', null],
    ['form fields', new URLSearchParams({ a: '1 2' }), 'a=1+2', 'application/x-www-form-urlencoded;charset=UTF-8'],
  ])('sends %s with its length', async (_, body, text, type) => {
    const origin = await serve(async (request, response) => {
      const sent = await request.toArray();
      response.end(
        JSON.stringify([
          String(Buffer.concat(sent)),
          request.headers['content-length'],
          request.headers['content-type'],
        ]),
      );
    });

    const [sent, length, contentType] = (await (await outbound()(origin, { method: 'POST', body })).json()) as string[];

    expect(sent).toBe(text);
    expect(length).toBe(String(text.length));
    expect(contentType).toBe(type);
  });

  it('uploads a form with a file', async () => {
    const origin = await serve(async (request, response) => {
      const sent = Buffer.concat(await request.toArray());
      const form = await new Response(sent, {
        headers: { 'content-type': request.headers['content-type'] ?? '' },
      }).formData();
      const file = form.get('media') as File;
      response.end(JSON.stringify([form.getAll('tag'), file.name, file.type, await file.text()]));
    });
    const form = new FormData();
    form.append('tag', 'one');
    form.append('tag', 'zwölf');
    form.append('media', new Blob(['pixels'], { type: 'image/png' }), 'bell.png');

    const response = await outbound()(origin, { method: 'POST', body: form });

    expect(await response.json()).toEqual([['one', 'zwölf'], 'bell.png', 'image/png', 'pixels']);
  });

  it.each([204, 304])('accepts an answer without a body: %i', async (status) => {
    const origin = await serve((_, response) => response.writeHead(status).end());

    const response = await outbound()(origin);

    expect(response.status).toBe(status);
    expect(await response.text()).toBe('');
  });

  it('follows no redirect', async () => {
    let requests = 0;
    const origin = await serve((_, response) => {
      requests += 1;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });

    const response = await outbound()(origin, { method: 'POST', body: 'x' });

    expect(response.status).toBe(307);
    expect(response.headers.get('location')).toBe('/elsewhere');
    expect(requests).toBe(1);
  });

  it('uses a new connection for each request', async () => {
    const ports = new Set<number | undefined>();
    const origin = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end();
    });
    const fetch = outbound();

    for (let round = 0; round < 3; round += 1) await (await fetch(origin)).text();

    expect(ports.size).toBe(3);
  });
});

describe('bounds', () => {
  it('passes an answer of exactly the limit and aborts one byte later', async () => {
    const origin = await serve((request, response) => response.end('x'.repeat(Number(request.url?.slice(1)))));
    const fetch = outbound({ maxResponseBytes: 1000 });

    expect(await (await fetch(`${origin}/1000`)).text()).toHaveLength(1000);
    expect((await failureOf((await fetch(`${origin}/1001`)).text())).message).toMatch(
      /answered with more than 1000 bytes/,
    );
  });

  it('counts bytes after decompression', async () => {
    const origin = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000)));
    });

    const response = await outbound({ maxResponseBytes: 10_000 })(origin);

    expect((await failureOf(response.text())).message).toMatch(/more than 10000 bytes/);
  });

  it('closes the connection of an answer that never ends', async () => {
    const port = await serveTcp((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
        const drip = setInterval(() => socket.write('1\r\nx\r\n'), 5);
        socket.on('close', () => clearInterval(drip));
      });
      closed = closing(socket);
    });
    let closed: Promise<unknown> | undefined;

    const response = await outbound({ bodyTimeoutMs: 60 })(`http://127.0.0.1:${port}`);

    expect((await failureOf(response.text())).message).toMatch(/did not finish its answer within 60 ms/);
    await closed;
  });

  it('releases a body that is never read', async () => {
    let closed: Promise<void> | undefined;
    const origin = await serve((request, response) => {
      closed = closing(request.socket);
      response.write('x');
    });

    await outbound({ bodyTimeoutMs: 30 })(origin);

    await expect(closed).resolves.toBeUndefined();
  });

  it('times out when headers are missing or only drip, and the outcome is unknown', async () => {
    const silent = await serveTcp(() => {});
    const dripping = await serveTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-drip: ');
      const drip = setInterval(() => socket.write('x'), 5);
      socket.on('close', () => clearInterval(drip));
    });
    const fetch = outbound({ headersTimeoutMs: 60 });

    const failures = await Promise.all([silent, dripping].map((port) => failureOf(fetch(`http://127.0.0.1:${port}`))));

    for (const failure of failures) expect(failure).not.toBeInstanceOf(NotSentError);
  });
});

describe('which failures prove that nothing was sent', () => {
  it('a refused connection does', async () => {
    const port = await unused();

    const failure = await failureOf(outbound()(`http://127.0.0.1:${port}/`));

    expect(failure).toBeInstanceOf(NotSentError);
    expect(failure.message).toBe(`127.0.0.1:${port} refused the connection.`);
  });

  it.each([
    ['ENOTFOUND', 'nowhere.example is not a known host name.'],
    ['EAI_AGAIN', 'nowhere.example could not be looked up, because the name server did not answer.'],
    ['ESURPRISE', 'nowhere.example could not be connected to (ESURPRISE).'],
  ])('a lookup that ends in %s does', async (code, message) => {
    const fetch = outbound({ lookup: async () => Promise.reject(Object.assign(new Error('look-up'), { code })) });

    const failure = await failureOf(fetch('https://nowhere.example/'));

    expect(failure).toBeInstanceOf(NotSentError);
    expect(failure.message).toBe(message);
  });

  it('a connect time-out does', async () => {
    const fetch = outbound({ connectTimeoutMs: 40, lookup: () => new Promise(() => {}) });

    const failure = await failureOf(fetch('https://slow.example/'));

    expect(failure).toBeInstanceOf(NotSentError);
    expect(failure.message).toBe('slow.example did not take the connection in time.');
  });

  it('a failed TLS handshake does', async () => {
    const port = await serveTcp((socket) => socket.end('this is not TLS'));

    expect(await failureOf(outbound()(`https://127.0.0.1:${port}/`))).toBeInstanceOf(NotSentError);
  });

  it('an abort before the connection is established does', async () => {
    const fetch = outbound({ lookup: () => new Promise(() => {}) });

    for (const signal of [AbortSignal.abort(), AbortSignal.timeout(20)]) {
      const failure = await failureOf(fetch('https://slow.example/', { signal }));
      expect(failure).toBeInstanceOf(NotSentError);
      expect(failure.message).toBe('The request to slow.example was cancelled before it was sent.');
    }
  });

  it('a reset after the request does not', async () => {
    const port = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));

    const failure = await failureOf(outbound()(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x' }));

    expect(failure).not.toBeInstanceOf(NotSentError);
  });

  it('a connection closed without an answer does not', async () => {
    const port = await serveTcp((socket) => socket.once('data', () => socket.end()));

    expect(await failureOf(outbound()(`http://127.0.0.1:${port}/`))).not.toBeInstanceOf(NotSentError);
  });

  it('an abort while waiting for the answer does not, and keeps the reason', async () => {
    const abort = new AbortController();
    const origin = await serve(() => abort.abort(new Error('changed my mind')));

    const failure = await failureOf(outbound()(origin, { signal: abort.signal }));

    expect(failure.message).toBe('changed my mind');
  });

  it('an abort in the middle of the body does not', async () => {
    const abort = new AbortController();
    const origin = await serve((_, response) => response.write('half'));

    const response = await outbound()(origin, { signal: abort.signal });
    const reading = failureOf(response.text());
    abort.abort(new Error('enough'));

    expect((await reading).message).toBe('enough');
  });

  it('an answer of 421 does not permit another send', async () => {
    let requests = 0;
    const origin = await serve((_, response) => {
      requests += 1;
      response.writeHead(421).end();
    });

    const failure = await failureOf(outbound()(origin, { method: 'POST', body: 'x' }));

    expect(failure).not.toBeInstanceOf(NotSentError);
    expect(requests).toBe(1);
  });

  it('a closed guard sends nothing', async () => {
    const closed = createOutboundFetch({ allow: [] });
    await closed.close();

    expect(await failureOf(closed.fetch('https://93.184.216.34/'))).toBeInstanceOf(NotSentError);
  });
});
