/** The files of the embedded database. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openLite } from '../../entities/embedded-database.ts';
import { openTestDatabase, TEST_DATABASE_URL } from '../harness/database.ts';
import { query } from '../harness/query.ts';

describe('the embedded database', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'carillon-lite-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('is created in full, and removes what a creation that was killed has left', async () => {
    await mkdir(join(folder, 'db.new-1'));
    await writeFile(join(folder, 'db.new-1/PG_VERSION'), '18');

    const first = await openLite(join(folder, 'db'), {});
    await first.exec('create table kept (a int)');
    await first.close();
    const again = await openLite(join(folder, 'db'), {});
    const { rows } = await again.query("select to_regclass('kept') is not null as kept");
    await again.close();

    expect(rows).toEqual([{ kept: true }]);
    expect(await readdir(folder)).toEqual(['db']);
  });

  it('is created where Node.js finds its libraries through a variable, and without the secrets of this process', async () => {
    const [node, program, written] = [process.execPath, join(folder, 'node'), join(folder, 'environment')];
    await writeFile(program, `#!/bin/sh\nenv > '${written}'\nexec '${node}' "$@"\n`, { mode: 0o755 });
    vi.stubEnv('LD_LIBRARY_PATH', '/opt/libraries');
    vi.stubEnv('ENCRYPTION_KEYS', 'secret');
    process.execPath = program;
    onTestFinished(() => {
      process.execPath = node;
      vi.unstubAllEnvs();
    });

    await (await openLite(join(folder, 'db'), {})).close();

    const environment = await readFile(written, 'utf8');
    expect(environment).toMatch(/^LD_LIBRARY_PATH=\/opt\/libraries$/m);
    expect(environment).not.toContain('ENCRYPTION_KEYS');
  });

  it('opens after a start that was killed while it wrote the file of its process', async () => {
    await (await openLite(join(folder, 'db'), {})).close();

    for (const written of ['', '4', '42\n/pglite/data\n']) {
      await writeFile(join(folder, 'db/postmaster.pid'), written);
      const again = await openLite(join(folder, 'db'), {});
      const { rows } = await again.query('select 1 as one');
      await again.close();

      expect(rows).toEqual([{ one: 1 }]);
    }
  });
});

describe.skipIf(TEST_DATABASE_URL !== undefined)('values of the embedded database', () => {
  it('have the types that the columns and the aggregates of the service have', async () => {
    const database = await openTestDatabase();
    onTestFinished(() => database.close());
    const sql = `
      select true as flag, 1::int2 as small, 2 as whole, 3::int8 as large, 1.5::float8 as real, 2.5::numeric as exact, 'a' as text,
        '{"a": 1}'::jsonb as json, '{"b": 2}'::json as "jsonText", timestamptz '2026-11-28 10:00Z' as instant, date '2026-11-28' as day,
        array['a', 'b,c'] as texts, array[1, 2] as numbers, array[true] as flags, array['n'::name] as names,
        array['01a22487-63d3-7021-b65b-90b0eb8812d4'::uuid] as ids, array[3::int8] as larges, array['{"a": 1}'::jsonb] as jsons,
        array_agg(a) as instants, sum(1) as sum, '\\x0102'::bytea as bytes
      from (select timestamptz '2026-11-28 10:00Z' as a) as one`;

    const [row] = await query(database.em(), sql);

    expect(row).toEqual({
      flag: true,
      small: 1,
      whole: 2,
      large: '3',
      real: 1.5,
      exact: '2.5',
      text: 'a',
      json: { a: 1 },
      jsonText: { b: 2 },
      instant: '2026-11-28 10:00:00+00',
      day: '2026-11-28',
      texts: ['a', 'b,c'],
      numbers: [1, 2],
      flags: [true],
      names: ['n'],
      ids: ['01a22487-63d3-7021-b65b-90b0eb8812d4'],
      larges: ['3'],
      jsons: [{ a: 1 }],
      instants: ['2026-11-28 10:00:00+00'],
      sum: '1',
      bytes: new Uint8Array([1, 2]),
    });
  });

  it('of every column with a parser of the engine have it', async () => {
    const database = await openTestDatabase();
    onTestFinished(() => database.close());
    const { lite } = database;
    if (lite === undefined) throw new Error('this is not the embedded database');
    const kept = lite.parsers;
    onTestFinished(() => void (lite.parsers = kept));
    const columns = await query<{ type: number; name: string }>(
      database.em(),
      `select distinct atttypid::int as type, format_type(atttypid, null) as name
       from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'public'::regnamespace and attnum > 0 and c.relkind = 'r'`,
    );
    await lite.refreshArrayTypes();

    const missing = columns.filter(({ type }) => type in lite.parsers && !(type in kept)).map(({ name }) => name);
    expect(missing).toEqual([]);
  });
});
