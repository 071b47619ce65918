/** The product as a process, and a proxy that adds the key, because the conformance suite has no option for headers. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as httpRequest, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATED_VARIABLE } from '../crash/migrated-folder.ts';
import { freePort, launchProcess, LIVE_KEY, type ServerProcess } from '../crash/server-process.ts';
import { waitUntil } from '../crash/wait-until.ts';

export interface Product extends AsyncDisposable {
  readonly server: ServerProcess;
  /** Origin of the proxy that adds the live key to every request. */
  readonly keyed: string;
}

/** Starts the product on a separate embedded database, and waits until it is ready. */
export async function startProduct(env: Readonly<Record<string, string>> = {}): Promise<Product> {
  const dataDir = await mkdtemp(join(tmpdir(), 'carillon-mcp-'));
  const migrated = process.env[MIGRATED_VARIABLE];
  if (migrated !== undefined) await cp(migrated, join(dataDir, 'db'), { recursive: true });
  const port = await freePort();
  const server = launchProcess({
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATA_DIR: dataDir,
    BOOTSTRAP_LIVE_KEY: LIVE_KEY,
    RATE_LIMIT_PER_MINUTE: '1000000',
    ...env,
  });
  await waitUntil('the server is ready', () => isReady(server), 120_000);
  const proxy = createServer(passOn(new URL(server.url))).listen(0, '127.0.0.1');
  await new Promise((resolve) => proxy.once('listening', resolve));
  return {
    server,
    keyed: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections();
      proxy.close();
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

/** Host and Origin pass unchanged, so that the suite tests the guard too. */
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
