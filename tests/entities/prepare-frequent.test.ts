/** The embedded engine parses and plans a statement that is used often once, and gives the same answers. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { PGlite } from '@electric-sql/pglite';
import { openTestDatabase, TEST_DATABASE_URL } from '../harness/database.ts';

const PREPARED =
  'select statement, generic_plans + custom_plans as runs from pg_prepared_statements where statement like $1';

describe.skipIf(TEST_DATABASE_URL !== undefined)('a statement of the embedded engine', async () => {
  const database = await openTestDatabase({ isNew: true });
  afterAll(() => database.close());
  const lite = database.lite as PGlite;
  const rows = async (sql: string, values: unknown[] = []) => (await lite.query(sql, values)).rows;
  const prepared = (like: string) => rows(PREPARED, [like]);
  const times = async <Result>(count: number, run: (index: number) => Promise<Result>) => {
    const answers: Result[] = [];
    for (let index = 0; index < count; index += 1) answers.push(await run(index));
    return answers;
  };

  beforeEach(() => lite.exec('create temp table if not exists things (id int primary key, name text)'));

  it('is prepared at its fifth use, and answers with what it is given each time', async () => {
    const sql = 'select $1::int + 1 as next, $2::text as text';

    const answers = await times(8, (index) => rows(sql, [index, `text ${index}`]));

    expect(answers).toEqual(Array.from({ length: 8 }, (_, index) => [{ next: index + 1, text: `text ${index}` }]));
    expect(await prepared('select $1::int + 1%')).toEqual([{ statement: sql, runs: '4' }]);
  });

  it('tells how many rows it changed, and returns no column where it has none', async () => {
    const insert = 'insert into things values ($1, $2)';
    await times(7, (id) => rows(insert, [id, 'one']));

    const { affectedRows, fields, rows: returned } = await lite.query(insert, [8, 'two']);

    expect({ affectedRows, fields, returned }).toEqual({ affectedRows: 1, fields: [], returned: [] });
    expect(await rows('select count(*)::int as count from things')).toEqual([{ count: 8 }]);
  });

  it('that fails has the error of the engine, and works with other values, also after a transaction was rolled back', async () => {
    const sql = 'select 10 / $1::int as part';
    await times(6, () => rows(sql, [5]));

    await expect(rows(sql, [0])).rejects.toMatchObject({ code: '22012', message: 'division by zero' });
    await expect(rows(sql, ['five'])).rejects.toMatchObject({ code: '22P02' });
    await expect(lite.transaction((transaction) => transaction.query(sql, [0]))).rejects.toMatchObject({
      code: '22012',
    });

    expect(await lite.transaction(async (transaction) => (await transaction.query(sql, [2])).rows)).toEqual([
      { part: 5 },
    ]);
    expect(await prepared('select 10 / %')).toHaveLength(1);
  });

  it('is prepared anew when its table has other columns', async () => {
    const sql = 'select * from things where id = $1';
    await rows(`insert into things values (100, 'a') on conflict do nothing`);
    await times(6, () => rows(sql, [100]));
    await lite.exec('alter table things add column size int default 3');

    await expect(rows(sql, [100])).rejects.toMatchObject({ code: '0A000' });

    for (const answer of await times(6, () => rows(sql, [100])))
      expect(answer).toEqual([{ id: 100, name: 'a', size: 3 }]);
    expect(await prepared('select * from things%')).toHaveLength(1);
  });

  it('makes room for others when two hundred are prepared: the one that was used least recently ends', async () => {
    const text = (index: number) => `select ${index} as number, 'fill' as what`;
    for (let index = 0; index < 230; index += 1) await times(5, () => rows(text(index)));

    const left = await prepared(`%'fill'%`);

    expect(left.length).toBeLessThanOrEqual(200);
    expect(left).toContainEqual(expect.objectContaining({ statement: text(229) }));
    expect(left).not.toContainEqual(expect.objectContaining({ statement: text(0) }));
    expect(await rows(text(0))).toEqual([{ number: 0, what: 'fill' }]);
  });

  it('that reads a cursor has the columns of the cursor each time', async () => {
    const read = (query: string) =>
      lite.transaction(async (transaction) => {
        await transaction.exec(`declare lines cursor for ${query}`);
        return (await transaction.query('fetch 10 from lines')).rows;
      });
    await times(6, () => read('select 1 as one where false'));

    expect(await read(`select 'b' as two, 3 as three`)).toEqual([{ two: 'b', three: 3 }]);
  });

  it('can be described while it is prepared', async () => {
    const sql = 'select $1::int as whole, $2::text as words';
    await times(6, () => rows(sql, [1, 'a']));

    const described = await times(2, () => lite.runExclusive(() => lite.describeQuery(sql)));

    for (const { queryParams, resultFields } of described) {
      expect(queryParams.map(({ dataTypeID }) => dataTypeID)).toEqual([23, 25]);
      expect(resultFields.map(({ name, dataTypeID }) => [name, dataTypeID])).toEqual([
        ['whole', 23],
        ['words', 25],
      ]);
    }
  });
});
