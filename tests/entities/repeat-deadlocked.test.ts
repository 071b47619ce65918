/** Transactions that wait for each other on PostgreSQL: it ends one of them, which runs again. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '../../entities/orm.ts';
import { databaseUrl, onServer, TEST_DATABASE_URL } from '../harness/database.ts';
import { query } from '../harness/query.ts';

const ROW = 'update numbers set value = value + 1 where id = $1';

// The embedded database runs one transaction at a time.
describe.skipIf(TEST_DATABASE_URL === undefined)('two transactions that wait for each other', () => {
  it('both do their work, once, and the second run is reported', async () => {
    const { db, deadlocks } = await open();

    const done = await Promise.all([crossing(db, [1, 2]), crossing(db, [2, 1])]);

    expect(done).toEqual(['done', 'done']);
    expect(await query(db.em(), 'select id, value from numbers order by id')).toEqual([
      { id: 1, value: 2 },
      { id: 2, value: 2 },
    ]);
    expect(deadlocks).toMatchObject([{ code: '40P01' }]);
  });

  it('fail if they must not run twice', async () => {
    const { db, deadlocks } = await open();

    const done = await Promise.allSettled([crossing(db, [1, 2], true), crossing(db, [2, 1], true)]);

    expect(done.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await query(db.em(), 'select id, value from numbers order by id')).toEqual([
      { id: 1, value: 1 },
      { id: 2, value: 1 },
    ]);
    expect(deadlocks).toEqual([]);
  });

  it('fail after the third run', async () => {
    const { db, deadlocks } = await open();
    let runs = 0;

    const failing = db.em().transactional(async (em: SqlEntityManager) => {
      runs += 1;
      await query(em, `do $$ begin raise exception 'again' using errcode = '40P01'; end $$`);
    });

    await expect(failing).rejects.toMatchObject({ code: '40P01' });
    expect([runs, deadlocks.length]).toEqual([3, 2]);
  });
});

async function open() {
  const name = `carillon_deadlocks_${process.pid}_${Math.trunc(performance.now())}`;
  await onServer(`create database ${name}`);
  const deadlocks: unknown[] = [];
  const db = await openPostgres(databaseUrl(name), { onDeadlock: (error) => deadlocks.push(error) });
  onTestFinished(async () => {
    await db.close();
    await onServer(`drop database if exists ${name} with (force)`);
  });
  await query(db.em(), 'create table numbers (id int primary key, value int not null)');
  await query(db.em(), 'insert into numbers values (1, 0), (2, 0)');
  return { db, deadlocks };
}

let arrived = Promise.withResolvers<void>();
let waiting = 0;

/** Locks both rows in this order. In its first run it waits between them until the other one holds its first row. */
async function crossing(
  db: Awaited<ReturnType<typeof open>>['db'],
  [first, second]: readonly [number, number],
  once = false,
): Promise<string> {
  let isFirstRun = true;
  return db.em({ once }).transactional(async (em: SqlEntityManager) => {
    await query(em, `set local deadlock_timeout = '20ms'`);
    await query(em, ROW, [first]);
    if (isFirstRun) await bothArrived();
    isFirstRun = false;
    await query(em, ROW, [second]);
    return 'done';
  });
}

async function bothArrived(): Promise<void> {
  waiting += 1;
  const { promise, resolve } = arrived;
  if (waiting === 2) {
    waiting = 0;
    arrived = Promise.withResolvers<void>();
    resolve();
  }
  await promise;
}
