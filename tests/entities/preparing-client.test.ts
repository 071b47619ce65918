/** Statements are prepared on direct connections to PostgreSQL only: a pooler changes connections between transactions. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { CompiledQuery } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '../../entities/orm.ts';
import { TEST_DATABASE_URL } from '../harness/database.ts';

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

/** How many statements a connection has prepared after one statement has run twenty times. */
async function prepared(url: string): Promise<number> {
  const db = await openPostgres(url, 1);
  onTestFinished(() => db.close());
  const kysely = db.em().getKysely();
  for (let run = 0; run < 20; run += 1) {
    const { rows } = await kysely.executeQuery<{ sum: number }>(CompiledQuery.raw('select $1::int + 1 as sum', [run]));
    expect(rows).toEqual([{ sum: run + 1 }]);
  }
  const answer = await kysely.executeQuery<{ count: number }>(
    CompiledQuery.raw('select count(*)::int as count from pg_prepared_statements'),
  );
  return answer.rows[0]?.count ?? -1;
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
