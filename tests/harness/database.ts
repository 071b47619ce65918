/**
 * A separate migrated database for each world: a copy of a template that is created once per run, or one released by
 * another world.
 */
import { openAsBlob } from 'node:fs';
import { Client } from 'pg';
import { type Database, openPglite, openPostgres } from '../../entities/orm.ts';

/** PostgreSQL server for the tests; PGlite when unset. */
export const TEST_DATABASE_URL = process.env['TEST_DATABASE_URL'];

/** The template from the global set-up: a file for PGlite, a database name for PostgreSQL. */
export const TEMPLATE_VARIABLE = 'CARILLON_TEST_TEMPLATE';

let made = 0;

export async function openTestDatabase(): Promise<Database> {
  const template = process.env[TEMPLATE_VARIABLE];
  if (template === undefined)
    throw new Error(`${TEMPLATE_VARIABLE} is not set; tests run under vitest's global set-up`);
  if (TEST_DATABASE_URL === undefined) return takeEmbedded(template);
  made += 1;
  const name = `${template}_${process.pid}_${made}`;
  await onServer(`create database ${name} template ${template}`);
  const database = await openPostgres(databaseUrl(name));
  return {
    ...database,
    close: async () => {
      await database.close();
      await onServer(`drop database if exists ${name} with (force)`);
    },
  };
}

/**
 * Embedded databases that worlds of this process have released, empty. Each takes seconds to create and half a gigabyte
 * to keep.
 */
const left: Database[] = [];
const LEFT_MAX = 3;

async function takeEmbedded(template: string): Promise<Database> {
  const database = left.pop() ?? (await openPglite(undefined, await openAsBlob(template)));
  const shape = await shapeOf(database);
  let closed = false;
  return {
    ...database,
    close: async () => {
      if (closed) return;
      closed = true;
      // A world that created its own tables or triggers discards its database.
      if (left.length >= LEFT_MAX || (await shapeOf(database)) !== shape) return database.close();
      await empty(database);
      left.push(database);
    },
  };
}

/** The objects in a database besides rows. */
async function shapeOf({ lite }: Database): Promise<unknown> {
  const result = await lite?.query(`
    select md5(string_agg(thing, ' ' order by thing)) as shape from (
      select relkind::text || relname::text as thing from pg_class where relnamespace = 'public'::regnamespace
      union all select tgname::text || tgrelid::regclass::text from pg_trigger where not tgisinternal
      union all select attrelid::regclass::text || '.' || attname::text || atttypid::regtype::text
        from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relnamespace = 'public'::regnamespace
        where attnum > 0 and not attisdropped
      union all select proname::text from pg_proc where pronamespace = 'public'::regnamespace) things`);
  return (result?.rows[0] as { shape: unknown } | undefined)?.shape;
}

async function empty({ lite }: Database): Promise<void> {
  await lite?.exec(`
    do $$ begin
      execute (select 'truncate ' || string_agg(quote_ident(tablename), ', ') || ' restart identity cascade'
        from pg_tables where schemaname = 'public' and tablename not like 'mikro_orm%');
    end $$`);
}

/** Address of a database on the test server. */
export function databaseUrl(name: string): string {
  const url = new URL(TEST_DATABASE_URL ?? '');
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs one statement on the test server, outside of every test database. */
export async function onServer(sql: string): Promise<void> {
  const client = new Client({ connectionString: TEST_DATABASE_URL });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
