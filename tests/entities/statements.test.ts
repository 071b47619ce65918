/** Every hand-written statement fits the schema, and so do the types of columns that statements are made of. */
import { readFileSync, globSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { COLUMN_TYPES, sqlOf } from '../../entities/sql-types.ts';
import { statements } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import { openTestDatabase } from '../harness/database.ts';
import { describeStatement } from '../harness/describe-statement.ts';

const root = path.join(import.meta.dirname, '..', '..');
const database = await openTestDatabase();
afterAll(() => database.close());

// Each statement is registered when its module loads.
for (const file of globSync('{entities,services,server,jobs}/**/*.ts', { cwd: root })) {
  const module = path.join(root, file);
  if (/\b(?:statement|removeByTime|removeById)\(/.test(readFileSync(module, 'utf8'))) await import(module);
}

/** The database's names of types that are declared by a shorter one. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  integer: 'int',
  'double precision': 'float8',
  'timestamp with time zone': 'timestamptz',
  'character varying': 'text',
  json: 'jsonb',
};

function shortName(type: string): string {
  const [, scalar = '', array = ''] = /^(.*?)(\[\])?$/.exec(type.replace(/\(\d+\)/, '')) ?? [];
  return `${SHORT_NAMES[scalar] ?? scalar}${array}`;
}

it.each([...statements.values()])('$name: has the declared columns', async ({ sql: text, result }) => {
  const columns = await describeStatement(database, text);

  const actual = columns.map(([name, type]) => [name, shortName(type)]);
  expect(Object.fromEntries(actual)).toEqual(
    Object.fromEntries(Object.entries(result).map(([name, type]) => [name, sqlOf(type)])),
  );
});

it('the types of columns are those of the schema', async () => {
  const { rows } = await sql<{ table: string; name: string; type: string; nullable: boolean }>`
    select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
  `.execute(tables(database.em()));

  const actual = rows.filter(({ table }) => COLUMN_TYPES.has(table));
  expect(
    actual
      .map(({ table, name, type, nullable }) => `${table}.${name} ${shortName(type)}${nullable ? '?' : ''}`)
      .toSorted(),
  ).toEqual([...COLUMN_TYPES].flatMap(([table, types]) => [...types].map(([n, t]) => `${table}.${n} ${t}`)).toSorted());
});
