/** What a pool of PostgreSQL connections does with one that is lost while it is used. */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Database, openPostgres } from '../../entities/orm.ts';
import { type Queries, runSql } from '../../entities/statement.ts';
import { databaseUrl, onServer, TEST_DATABASE_URL } from '../harness/database.ts';

const LOST = /terminat|connection error/;

let made = 0;
let database: Database;
let other: Database;

function run<Row>(queries: Queries, sql: string): Promise<readonly Row[]> {
  return runSql<Row>(queries, sql, []);
}

async function sessionOf(queries: Queries): Promise<number> {
  const [row] = await run<{ pid: number }>(queries, 'select pg_backend_pid() as pid');
  return row?.pid ?? 0;
}

/** Ends the session at the server, and waits until it is gone. */
function end(session: number) {
  return run(other.queries, `select pg_terminate_backend(${session}, 5000)`);
}

describe.skipIf(TEST_DATABASE_URL === undefined)('a pool of one connection', () => {
  beforeEach(async () => {
    made += 1;
    const name = `carillon_lost_${process.pid}_${made}`;
    await onServer(`create database ${name}`);
    onTestFinished(() => onServer(`drop database if exists ${name} with (force)`));
    [database, other] = await Promise.all([
      openPostgres(databaseUrl(name), { poolSize: 1 }),
      openPostgres(databaseUrl(name)),
    ]);
    onTestFinished(async () => {
      await Promise.all([database.close(), other.close()]);
    });
  });

  it('answers again after connections were lost within transactions, and closes', async () => {
    for (let losses = 0; losses < 3; losses += 1) {
      const lost = database.em().transactional(async (em) => {
        await end(await sessionOf(em));
        await run(em, 'select 1');
      });
      await expect(lost).rejects.toThrow(LOST);
    }

    expect(await run(database.queries, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('answers again after a connection was lost before its transaction could commit, and closes', async () => {
    const lost = database.em().transactional(async (em) => end(await sessionOf(em)));

    await expect(lost).rejects.toThrow(LOST);
    expect(await run(database.queries, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('answers again after connections were lost during statements outside of transactions, and closes', async () => {
    for (let losses = 0; losses < 3; losses += 1) {
      await expect(run(database.queries, 'select pg_terminate_backend(pg_backend_pid())')).rejects.toThrow(LOST);
    }

    expect(await run(database.queries, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('gives a connection back after a statement that fails', async () => {
    for (let failures = 0; failures < 3; failures += 1) {
      await expect(run(database.queries, 'select 1 / 0')).rejects.toThrow('division by zero');
    }

    expect(await run(database.queries, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});
