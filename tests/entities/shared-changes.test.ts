/** How a process on PostgreSQL is told of the changes of others (docs/decisions/0093-notify-workers-of-due-work.md). */
import { CompiledQuery } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Database, openPostgres } from '../../entities/orm.ts';
import { systemClock } from '../../server/clocks.ts';
import { databaseUrl, onServer, TEST_DATABASE_URL } from '../harness/database.ts';
import { forwarded } from '../harness/forward.ts';

let made = 0;
let url: string;

async function open(address = url): Promise<Database> {
  const database = await openPostgres(address, { poolSize: 2, sleep: systemClock.sleep });
  onTestFinished(() => database.close());
  return database;
}

async function run<Row>({ queries }: Pick<Database, 'queries'>, sql: string): Promise<readonly Row[]> {
  const { rows } = await queries.getKysely().executeQuery<Row>(CompiledQuery.raw(sql));
  return rows;
}

/** A process that listens, and a function that tells how often it was told of a change since it was asked last. */
async function listener(address?: string) {
  const database = await open(address);
  let calls = 0;
  database.changes.listen(() => (calls += 1));
  const callsSince = () => {
    const count = calls;
    calls = 0;
    return count;
  };
  return { database, callsSince };
}

const until = (check: () => void) => vi.waitFor(check, { interval: 5, timeout: 60_000 });

describe.skipIf(TEST_DATABASE_URL === undefined)('a process that listens', () => {
  beforeEach(async () => {
    made += 1;
    const name = `carillon_changes_${process.pid}_${made}`;
    await onServer(`create database ${name}`);
    onTestFinished(() => onServer(`drop database if exists ${name} with (force)`));
    url = databaseUrl(name);
    const database = await openPostgres(url);
    await run(database, 'create table posts (id int)');
    await database.close();
  });

  it('is told of a change of another process, and not of a statement that changes nothing', async () => {
    const { database, callsSince } = await listener();
    await until(() => expect(database.changes.isComplete).toBe(true));
    const other = await open();
    callsSince();

    await run(other, 'update posts set id = 2');
    await run(other, 'select id from posts');
    await run(other, 'insert into posts (id) values (1)');

    await until(() => expect(callsSince()).toBe(1));
  });

  it('is told of a transaction when its changes can be seen', async () => {
    const { database, callsSince } = await listener();
    await until(() => expect(database.changes.isComplete).toBe(true));
    const other = await open();

    await other.em().transactional(async (em) => {
      await run({ queries: em }, 'insert into posts (id) values (1)');
      await until(() => expect(callsSince()).toBeGreaterThan(0));
      expect(await run(database, 'select id from posts')).toEqual([]);
    });

    await until(() => expect(callsSince()).toBeGreaterThan(0));
    expect(await run(database, 'select id from posts')).toEqual([{ id: 1 }]);
  });

  it('knows that it is not told while its connection is lost, and is told once it listens again', async () => {
    const { database, callsSince } = await listener();
    await until(() => expect(database.changes.isComplete).toBe(true));
    const other = await open();
    callsSince();

    await run(other, "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %'");
    await until(() => expect(database.changes.isComplete).toBe(false));
    await until(() => expect(callsSince()).toBe(1));

    await until(() => expect(database.changes.isComplete).toBe(true));
    expect(callsSince()).toBe(1);
  });

  it('knows that it is not told behind a pooler', async () => {
    const { database, callsSince } = await listener(await forwarded(url));

    await until(() => expect(callsSince()).toBe(1));

    expect(database.changes.isComplete).toBe(false);
  });
});
