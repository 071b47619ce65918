/** What only direct connections to PostgreSQL get: a pooler changes connections between transactions. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '../../entities/orm.ts';
import { TEST_DATABASE_URL } from '../harness/database.ts';
import { forwarded, overSocket, renumbered } from '../harness/forward.ts';
import { query } from '../harness/query.ts';

const run = promisify(execFile);

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

  it('is prepared over a socket in the file system, unless a pooler that numbers its sessions lies between', async ({
    skip,
  }) => {
    const port = new URL(url).port || '5432';
    const folder = '/var/run/postgresql';
    const socket = `${folder}/.s.PGSQL.${port}`;
    if (!existsSync(socket)) return skip(`PostgreSQL has no socket at ${socket}`);

    const counts = [await prepared(overSocket(url, folder, port)), await prepared(await renumbered(url, socket))];

    expect(counts).toEqual([1, 0]);
  });
});

describe.skipIf(TEST_DATABASE_URL === undefined)('the memory of PostgreSQL', () => {
  it('stays with a direct connection from one step of a query to the next', async ({ skip }) => {
    const database = await openPostgres(TEST_DATABASE_URL ?? '');
    onTestFinished(() => database.close());
    // proc(5): the tenth field counts page faults that needed no disk. Only superusers may read it, and only Linux has it.
    const faults = async () => {
      const [row] = await query<{ stat: string }>(database.em(), `select pg_read_file('/proc/self/stat') as stat`);
      return Number(row?.stat.replace(/^.*\)/s, '').trim().split(' ')[7]);
    };
    const before = await faults().catch(() => null);
    if (before === null) return skip('/proc/self/stat of PostgreSQL cannot be read');

    await query(
      database.em(),
      `select count(*) filter (where repeat('x', n + 90000) in (repeat('y', n + 90000), repeat('z', n + 90000)))
       from generate_series(1, 200) as n`,
    );

    // Each of the 200 rows needs 66 pages, in blocks too small to change the limits of glibc by themselves.
    expect((await faults()) - before).toBeLessThan(1_000);
  });
});

describe.skipIf(TEST_DATABASE_URL === undefined)('settings', () => {
  const url = TEST_DATABASE_URL ?? '';
  const settings = async (of: string) => {
    const database = await openPostgres(of);
    onTestFinished(() => database.close());
    const names = ['jit', 'max_parallel_workers_per_gather'];
    const sql = 'select name, setting, source from pg_settings where name = any($1) order by name';
    return query<{ name: string; setting: string; source: string }>(database.em(), sql, [names]);
  };

  it('keep a direct connection from compiling statements and from dividing them', async () => {
    expect(await settings(url)).toEqual([
      { name: 'jit', setting: 'off', source: 'session' },
      { name: 'max_parallel_workers_per_gather', setting: '0', source: 'session' },
    ]);
  });

  it('of a connection of PgBouncer stay as they are', async () => {
    const [jit, workers] = await settings(await forwarded(url));

    expect([jit?.source, workers?.source]).not.toContain('session');
  });
});
