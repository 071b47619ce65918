/** Checks of the database: whether it answers, its schema, its clock, and the versions of the processes that use it. */
import { migrations } from '../../entities/migrations/index.ts';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { withinDatabaseTimeout } from '../health/database-timeout.ts';
import { dateOf } from '../timestamp.ts';
import { type CheckOutcome, failed, notChecked, ok, warning } from './check.ts';

/** Oldest supported PostgreSQL, as `server_version_num`. */
const OLDEST = 150_000;

/** Difference of clocks, in milliseconds: sessions with platforms fail at some minutes. */
const CLOCK_WARNING_MS = 5_000;

const readServer = statement('read the version and the clock of the database', {
  result: { version: 'text', number: 'int', port: 'int', now: 'timestamptz' },
  sql: () => `
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      coalesce(inet_server_port(), 0) as port, clock_timestamp() as now`,
});

const readProcesses = statement('read the names of the processes on the database', {
  result: { name: 'text' },
  sql: () => `
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and application_name like 'carillon %' order by 1`,
});

const listInvalidIndexes = statement('list the indexes that answer no query', {
  result: { name: 'text' },
  sql: () => `
    select c.relname::text as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where not i.indisvalid and c.relnamespace = current_schema()::regnamespace order by 1`,
});

export async function checkDatabase(context: Context): Promise<CheckOutcome> {
  const { db, clock, config } = context;
  const started = clock.elapsed();
  const rows = await withinDatabaseTimeout(context, readServer(db.queries));
  const [server] = rows ?? [];
  if (server === undefined) {
    return failed('The database did not answer within 3 seconds.', 'Check the database and the network between.');
  }
  const ms = Math.round(clock.elapsed() - started);
  const kind = db.engine === 'pglite' ? 'Embedded PostgreSQL' : 'PostgreSQL';
  const port = Number(URL.parse((config.databaseUrl ?? '').replace(/,[^/]*/, ''))?.port || 5432);
  const isPooled = db.engine === 'postgres' && server.port !== 0 && server.port !== port;
  const measured = `${kind} ${server.version} answered in ${ms} ms${isPooled ? ', behind a pooler such as PgBouncer' : ''}.`;
  return server.number < OLDEST ? failed(measured, 'Use PostgreSQL 15 or newer.') : ok(measured);
}

export async function checkSchema({ db }: Context): Promise<CheckOutcome> {
  const applied = await db.appliedMigrations();
  const missing = migrations.filter(({ name }) => !applied.includes(name));
  const unknown = applied.filter((name) => !migrations.some((migration) => migration.name === name));
  if (missing.length > 0) {
    return warning(`${missing.length} migrations are missing.`, 'Start this version: it migrates the database.');
  }
  if (unknown.length > 0) {
    return warning(
      `The schema is newer: it has ${unknown.join(', ')}.`,
      'Update this process to the version of the others.',
    );
  }
  const invalid = (await listInvalidIndexes(db.queries)).map(({ name }) => name);
  if (invalid.length > 0) {
    return warning(
      `No query can use these indexes, which are incomplete: ${invalid.join(', ')}.`,
      'Unless one is being built, drop it and build it again: docs/scale.md#updates-of-large-installs.',
    );
  }
  return ok(`All ${applied.length} migrations are applied.`);
}

/** @param machineNow the clock of this machine; the app's clock may be that of the database */
export async function checkDatabaseClock({ db }: Context, machineNow: () => Date): Promise<CheckOutcome> {
  if (db.engine === 'pglite') return ok('The embedded database uses the clock of this machine.');
  const before = machineNow().getTime();
  const [server] = await readServer(db.queries);
  const middle = (before + machineNow().getTime()) / 2;
  const difference = Math.round(middle - dateOf(server?.now ?? '').getTime());
  const measured = `The clock of this machine differs by ${difference} ms from that of the database, which counts.`;
  if (Math.abs(difference) < CLOCK_WARNING_MS) return ok(measured);
  return warning(measured, 'Synchronize both with NTP. OAuth and platforms refuse requests with wrong times.');
}

export async function checkFleet({ db, version }: Context): Promise<CheckOutcome> {
  if (db.engine === 'pglite') return ok(`One process, version ${version}.`);
  const versions = (await readProcesses(db.queries)).map(({ name }) => name.slice('carillon '.length));
  if (versions.length <= 1) return ok(`Every process has the version ${versions[0] ?? version}.`);
  return warning(
    `Processes have the versions ${versions.join(' and ')}.`,
    'Restart the older ones to complete the update.',
  );
}

export const databaseNotOpened = (): CheckOutcome =>
  notChecked('The database is not open.', 'Correct what the check of the database says.');
