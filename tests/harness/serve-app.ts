/** Serves the application once more: as another process on the same database, or with other dependencies. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createApp } from '../../server/app.ts';
import type { AppOptions } from '../../server/pages.ts';
import type { Runtime } from '../../server/runtime.ts';

/** Serves until the test ends, on any free port. */
export async function serveApp(
  context: Runtime,
  options?: AppOptions,
): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(createApp(context, options)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** How many connections are open. */
export function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
}
