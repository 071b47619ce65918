/** The embedded database analyzes and vacuums its tables as they change, because it has no autovacuum, and tells loops of changes. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();

interface TableState {
  readonly analyzed: boolean;
  readonly vacuumed: boolean;
  /** The planner's idea of the number of rows; -1 before the first one. */
  readonly rows: number;
}

async function stateOf(table: string): Promise<TableState> {
  const [state] = await world.sql<TableState>(
    `select last_analyze is not null as analyzed, last_vacuum is not null as vacuumed, c.reltuples::int as rows
     from pg_stat_user_tables s join pg_class c on c.oid = s.relid where s.relname = $1`,
    [table],
  );
  if (state === undefined) throw new Error(`there is no table ${table}`);
  return state;
}

async function read(times: number): Promise<void> {
  for (let index = 0; index < times; index += 1) await world.sql('select 1');
}

describe.skipIf(world.db.engine !== 'pglite')('the embedded database', () => {
  it('knows how many posts there are soon after they were written, without a restart or an hour', async () => {
    await world.sql('create table growing (id int primary key, text text)');
    await world.sql(`insert into growing select number, 'one' from generate_series(1, 500) as number`);

    await read(300);

    await expect.poll(() => stateOf('growing')).toEqual({ analyzed: true, vacuumed: false, rows: 500 });
  });

  it('vacuums a table once a fifth of its rows are dead', async () => {
    await world.sql(`update growing set text = 'two'`);

    await read(300);

    await expect.poll(async () => (await stateOf('growing')).vacuumed).toBe(true);
  });

  it('leaves a table alone that has not changed enough', async () => {
    await world.sql('create table still (id int primary key)');
    await world.sql('insert into still select number from generate_series(1, 40) as number');

    await read(600);

    await expect.poll(() => stateOf('still')).toEqual({ analyzed: false, vacuumed: false, rows: -1 });
  });

  it('ends what its log has grown by, so that a folder does not fill with it', async () => {
    const sinceCheckpoint = async () => {
      const [log] = await world.sql<{ megabytes: number }>(
        `select (pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn) / 1e6)::int as megabytes from pg_control_checkpoint()`,
      );
      return log?.megabytes;
    };
    for (let part = 0; part < 10; part += 1)
      await world.sql(`select pg_logical_emit_message(true, 'test', repeat('x', 8000000))`);
    expect(await sinceCheckpoint()).toBeGreaterThan(70);

    await read(300);

    await expect.poll(sinceCheckpoint).toBeLessThan(5);
  });
});

describe.skipIf(world.db.engine !== 'pglite')('a loop that waits for changes is told', () => {
  let reports = 0;
  const stop = world.db.changes.listen(() => (reports += 1));
  afterAll(stop);
  beforeEach(() => (reports = 0));

  const touch = (table: string) => `update ${table} set created_at = created_at`;
  const inTransaction = (...statements: string[]) =>
    world.db.em().transactional(async (em) => {
      for (const sql of statements) await em.execute(sql);
    });

  it('of rows with due times that were changed, by a statement or a transaction', async () => {
    await world.sql(touch('connections'));
    expect(reports).toBe(1);

    await inTransaction(touch('connections'), 'select 1');
    expect(reports).toBe(2);
  });

  it.each([
    ['a transaction that changed none', [`${touch('connections')} where false`, 'select id from posts']],
    ['other tables', [touch('accounts')]],
  ])('nothing of %s', async (_what, statements) => {
    await inTransaction(...statements);

    expect(reports).toBe(0);
  });

  it('nothing of a transaction that was rolled back', async () => {
    await expect(inTransaction(touch('connections'), 'select 1 / 0')).rejects.toThrow('division by zero');

    expect(reports).toBe(0);
  });
});
