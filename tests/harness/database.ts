/** A migrated database of its own for each world: a copy of a template that is made once a run. */
import { openAsBlob } from 'node:fs';
import { Client } from 'pg';
import { type Database, openPglite, openPostgres } from '../../entities/orm.ts';

/** PostgreSQL to test on; PGlite when unset. */
export const TEST_DATABASE_URL = process.env['TEST_DATABASE_URL'];

/** What the global set-up made: a file for PGlite, a database name for PostgreSQL. */
export const TEMPLATE_VARIABLE = 'CARILLON_TEST_TEMPLATE';

let made = 0;

export async function openTestDatabase(): Promise<Database> {
  const template = process.env[TEMPLATE_VARIABLE];
  if (template === undefined)
    throw new Error(`${TEMPLATE_VARIABLE} is not set; tests run under vitest's global set-up`);
  if (TEST_DATABASE_URL === undefined) return openPglite(undefined, await openAsBlob(template));
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

/** Address of a database on the test server. */
export function databaseUrl(name: string): string {
  const url = new URL(TEST_DATABASE_URL ?? '');
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs one statement on the test server, beside every database. */
export async function onServer(sql: string): Promise<void> {
  const client = new Client({ connectionString: TEST_DATABASE_URL });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
