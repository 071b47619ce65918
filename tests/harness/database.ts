/**
 * A separate migrated database for each world: a copy of a template that is created once per run, or one released by
 * another world.
 */
import { openAsBlob } from 'node:fs';
import { Client, type QueryResultRow } from 'pg';
import { type Database, openPglite, openPostgres } from '../../entities/orm.ts';
import { noteDeadlock } from './deadlocks.ts';
import { query } from './query.ts';

/** PostgreSQL server for the tests; PGlite when unset. */
export const TEST_DATABASE_URL = process.env['TEST_DATABASE_URL'];

/** The template from the global set-up: a file for PGlite, a database name for PostgreSQL. */
export const TEMPLATE_VARIABLE = 'CARILLON_TEST_TEMPLATE';

let made = 0;

/** @param isNew whether no world has used it, so that its connections have planned nothing */
export async function openTestDatabase({ isNew = false } = {}): Promise<Database> {
  const template = process.env[TEMPLATE_VARIABLE];
  if (template === undefined)
    throw new Error(`${TEMPLATE_VARIABLE} is not set; tests run under vitest's global set-up`);
  return reusable((isNew ? undefined : left.pop()) ?? (await create(template)));
}

async function create(template: string): Promise<Left> {
  const database = await (TEST_DATABASE_URL === undefined
    ? openPglite(undefined, await openAsBlob(template))
    : createOnServer(template));
  return { database, shape: await shapeOf(database) };
}

/**
 * Databases that worlds of this process have released, empty. On the embedded engine each takes seconds to create and
 * half a gigabyte to keep; on a server it takes a third of a second, and its connections know its tables.
 */
const left: Left[] = [];
const LEFT_MAX = 3;

interface Left {
  readonly database: Database;
  /** Its shape when it was created. */
  readonly shape: Shape | undefined;
}

function reusable({ database, shape }: Left): Database {
  let closed = false;
  return {
    ...database,
    close: async () => {
      if (closed) return;
      closed = true;
      const now = await shapeOf(database);
      // A world that created its own tables or triggers discards its database.
      if (left.length >= LEFT_MAX || now?.objects !== shape?.objects) return database.close();
      await query(database.em(), now?.sizes === shape?.sizes ? DELETE : TRUNCATE);
      left.push({ database, shape });
    },
  };
}

async function createOnServer(template: string): Promise<Database> {
  made += 1;
  const name = `${template}_${process.pid}_${made}`;
  await onServer(`create database ${name} template ${template}`);
  const database = await openPostgres(databaseUrl(name), { onDeadlock: noteDeadlock });
  return {
    ...database,
    close: async () => {
      await database.close();
      await onServer(`drop database if exists ${name} with (force)`);
    },
  };
}

interface Shape {
  /** The objects in a database besides rows. */
  readonly objects: string;
  /** What it knows of the sizes of its tables, from which plans follow: it changes when they are analyzed. */
  readonly sizes: string;
}

async function shapeOf(database: Database): Promise<Shape | undefined> {
  const sql = `
    select md5(string_agg(thing, ' ' order by thing)) as objects, md5(string_agg(size, ' ' order by size)) as sizes from (
      select relkind::text || relname::text as thing, relname::text || reltuples as size from pg_class
        where relnamespace = 'public'::regnamespace
      union all select tgname::text || tgrelid::regclass::text, null from pg_trigger where not tgisinternal
      union all select attrelid::regclass::text || '.' || attname::text || atttypid::regtype::text, null
        from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relnamespace = 'public'::regnamespace
        where attnum > 0 and not attisdropped
      union all select proname::text, null from pg_proc where pronamespace = 'public'::regnamespace) things`;
  const [shape] = await query<Shape>(database.em(), sql);
  return shape;
}

/** Also forgets the sizes of the tables. */
const TRUNCATE = `
  do $$ begin
    execute (select 'truncate ' || string_agg(quote_ident(tablename), ', ') || ' restart identity cascade'
      from pg_tables where schemaname = 'public' and tablename not like 'mikro_orm%');
  end $$`;

/** Several times faster than to truncate, which creates new files for each table and index. */
const DELETE = `
  do $$ declare name text; begin
    set local session_replication_role = replica;
    set local lock_timeout = '10s';
    for name in select tablename from pg_tables where schemaname = 'public' and tablename not like 'mikro_orm%' loop
      execute format('delete from %I', name);
    end loop;
    perform setval(format('%I', sequencename)::regclass, start_value, false)
      from pg_sequences where schemaname = 'public' and last_value is not null and sequencename not like 'mikro_orm%';
  end $$`;

/** Address of a database on the test server. */
export function databaseUrl(name: string): string {
  const url = new URL(TEST_DATABASE_URL ?? '');
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs one statement on the test server, outside of every test database. */
export async function onServer(sql: string): Promise<void> {
  await selectOnServer(sql);
}

/** The rows of one statement on the test server. */
export async function selectOnServer<Row extends QueryResultRow>(sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: TEST_DATABASE_URL });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
