/** The product as a process, and a door to it that adds the key, since the conformance suite has no option for headers. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as httpRequest, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, launchProcess, LIVE_KEY, type ServerProcess } from '../crash/server-process.ts';
import { waitUntil } from '../crash/wait-until.ts';

export interface Product extends AsyncDisposable {
  readonly server: ServerProcess;
  /** Origin behind which every request has the live key. */
  readonly keyed: string;
}

/** Starts the product on an embedded database of its own, and waits until it is ready. */
export async function startProduct(env: Readonly<Record<string, string>> = {}): Promise<Product> {
  const dataDir = await mkdtemp(join(tmpdir(), 'carillon-mcp-'));
  const server = launchProcess({
    PORT: String(await freePort()),
    DATA_DIR: dataDir,
    BOOTSTRAP_LIVE_KEY: LIVE_KEY,
    RATE_LIMIT_PER_MINUTE: '1000000',
    ...env,
  });
  await waitUntil('the server is ready', () => isReady(server), 120_000);
  const door = createServer(passOn(new URL(server.url))).listen(0, '127.0.0.1');
  await new Promise((resolve) => door.once('listening', resolve));
  return {
    server,
    keyed: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      door.closeAllConnections();
      door.close();
      await server.kill9();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function isReady(server: ServerProcess): Promise<boolean> {
  if (server.child.exitCode !== null) throw new Error(`the server ended: ${server.stderr()}`);
  return server.get('/readyz').then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** Host and Origin stay as they came, so that the guard is judged too. */
function passOn({ hostname, port }: URL): RequestListener {
  return (incoming, response) => {
    const headers = { ...incoming.headers, 'x-api-key': LIVE_KEY };
    const { method = 'GET', url: path = '/' } = incoming;
    const outgoing = httpRequest({ hostname, port, method, path, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  };
}
