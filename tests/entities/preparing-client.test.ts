/** Statements are prepared on direct connections to PostgreSQL only: a pooler changes connections between transactions. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TEST_DATABASE_URL } from '../harness/database.ts';

const run = promisify(execFile);

/** An address that leads to the test server over another connection, as that of a pooler does. */
async function forwarded(url: string): Promise<string> {
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

/** How many statements a connection has prepared after one statement has run twenty times, in a separate process. */
async function prepared(url: string): Promise<number> {
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, 'count-prepared.ts'), url]);
  return Number(stdout);
}

describe.skipIf(TEST_DATABASE_URL === undefined)('a frequent statement', () => {
  const url = TEST_DATABASE_URL ?? '';

  it('is prepared on a direct connection', async () => {
    expect(await prepared(url)).toBe(1);
  });

  it('is not prepared where another connection, such as that of PgBouncer, lies between', async () => {
    expect(await prepared(await forwarded(url))).toBe(0);
  });
});
