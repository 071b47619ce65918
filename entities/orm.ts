/**
 * Opens the database: PostgreSQL when a URL is given, otherwise the embedded PGlite. Both use the same entities and
 * migrations.
 */
import { withAdvisoryLock } from './advisory-locks.ts';
import type { PGlite } from '@electric-sql/pglite';
import { Migrator } from '@mikro-orm/migrations';
import type { MikroORM as PgliteOrm } from '@mikro-orm/pglite';
import { MikroORM as PostgresOrm, type Options } from '@mikro-orm/postgresql';
import { createPostgreSqlTypeParsers, type SqlEntityManager } from '@mikro-orm/sql';
import { parse as parseArray } from 'postgres-array';
import { PostgresDialect } from 'kysely';
import { type Pool, TypeOverrides } from 'pg';
import { createDatabaseHosts, parseDatabaseUrl } from './database-hosts.ts';
import { openLite } from './embedded-database.ts';
import { maintainEmbedded, type MaintainedPglite } from './embedded-maintenance.ts';
import { HostClient } from './host-client.ts';
import { HostPool } from './host-pool.ts';
import { entities } from './index.ts';
import { migrations } from './migrations/index.ts';
import { type MigrationWait, runMigrations } from './migrations/run-migrations.ts';
import type { Queries } from './statement.ts';
import { repeatDeadlocked } from './repeat-deadlocked.ts';
import type { ReportedChanges } from './row-changes.ts';
import { shareChanges, type SharedChanges, type Sleep } from './shared-changes.ts';

/** An open database. */
export interface Database {
  readonly engine: 'postgres' | 'pglite';
  /** A new entity manager with a separate identity map. Its transactions run again after a deadlock, unless they run `once`. */
  em(options?: { readonly once?: boolean }): SqlEntityManager;
  /** Runs statements and typed queries outside of transactions, without the cost of an entity manager for each. */
  readonly queries: Queries;
  /**
   * Runs pending migrations; safe when several processes start at once, and while others work.
   *
   * @param onWait called each time that a migration waits for a lock of another session
   */
  migrate(onWait?: (wait: MigrationWait) => void): Promise<void>;
  /** Runs schema work that must not run in two processes at once. */
  withMigrationLock(work: () => Promise<void>): Promise<void>;
  /** Names of the migrations that this database has, in their order; empty before the first. */
  appliedMigrations(): Promise<string[]>;
  /** SQL that would change the schema to match the entities; empty when it matches. */
  schemaDifference(): Promise<string>;
  /** Changes of rows that say when work is due. Statements report themselves; what else makes work due is reported here. */
  readonly changes: ReportedChanges;
  /** The embedded instance; undefined on PostgreSQL. */
  readonly lite: PGlite | undefined;
  /** A separate pool, with the driver's own types, to the same servers; undefined on the embedded database. */
  readonly openPool: ((size: number) => Pool) | undefined;
  close(): Promise<void>;
}

/** Tables that hand-written SQL (the rate limit) or a library (Agenda) maintains. */
const UNMAPPED_TABLES = [/^agenda_/, /^rate_limit_/];

/** The number of the type `bigint`: its values are text, as from PostgreSQL's driver, and never a rounded number. */
const BIGINT = 20;

const shared = {
  entities,
  extensions: [Migrator],
  schemaGenerator: { skipTables: UNMAPPED_TABLES, ignoreRoutines: true },
  // One transaction around all migrations would hold the locks of all their tables.
  migrations: { migrationsList: migrations, snapshot: false, silent: true, allOrNothing: false },
  forceUtcTimezone: true,
} satisfies Options;

export interface PostgresOptions {
  /** Most connections of this process for statements. Default 10. */
  readonly poolSize?: number;
  /**
   * Without it, changes of other processes are not reported here, nor those of this process there, and migrations wait on a
   * connection for those of another process.
   */
  readonly sleep?: Sleep;
  /** Called each time that a transaction runs again after a deadlock. */
  readonly onDeadlock?: (error: unknown) => void;
}

/** Opens PostgreSQL. */
export async function openPostgres(
  url: string,
  { poolSize = 10, sleep, onDeadlock = () => undefined }: PostgresOptions = {},
): Promise<Database> {
  const hosts = createDatabaseHosts(parseDatabaseUrl(url));
  const pool = new HostPool(hosts, { max: poolSize, types: ormTypes(), onDueChange: () => changes.report() });
  const changes =
    sleep === undefined
      ? UNREPORTED
      : shareChanges({
          sleep,
          query: (sql, values) => pool.query(sql, [...values]),
          createClient: () => new HostClient({ hosts }),
        });
  const orm = await PostgresOrm.init({
    ...shared,
    // Tells the ORM the name of the database; the pool connects.
    clientUrl: hosts.address.urls[0],
    // A misspelt name must be an error and not create a database.
    ensureDatabase: false,
    driverOptions: new PostgresDialect({ pool }),
  });
  // A transaction-level lock cannot outlive a crashed process; the work runs on another connection meanwhile.
  const withMigrationLock = (work: () => Promise<void>) =>
    withAdvisoryLock(() => orm.em.fork(), 'migrations', sleep, work);
  return {
    engine: 'postgres',
    em: ({ once = false } = {}) => (once ? orm.em.fork() : repeatDeadlocked(orm.em.fork(), onDeadlock)),
    queries: Object.assign(orm.em.fork(), { run: pool.run.bind(pool) }),
    changes,
    lite: undefined,
    openPool: (size) => new HostPool(hosts, { max: size }),
    withMigrationLock,
    migrate: (onWait = () => undefined) => withMigrationLock(() => runMigrations(orm, onWait)),
    appliedMigrations: () => appliedMigrations(orm),
    schemaDifference: () => orm.schema.getUpdateSchemaSQL({ wrap: false }),
    close: async () => {
      await changes.close();
      await orm.close(true);
    },
  };
}

/**
 * Opens the embedded database in `dataDir`; in memory when `dataDir` is undefined, filled from `template` if given.
 *
 * @param onMaintenanceError called when a vacuum or an analyze failed
 */
export async function openPglite(
  dataDir: string | undefined,
  template?: Blob,
  onMaintenanceError: (error: unknown) => void = () => undefined,
): Promise<Database> {
  const opening = openLite(dataDir, {
    ...(template === undefined ? {} : { loadDataDir: template }),
    parsers: { ...createPostgreSqlTypeParsers((text) => parseArray(text)), [BIGINT]: (text: string) => text },
  });
  const maintaining = opening.then((lite) => maintainEmbedded(lite, onMaintenanceError));
  // The ORM reads its entities while other threads compile the engine.
  const [lite, maintained, orm] = await Promise.all([opening, maintaining, initPgliteOrm(maintaining)]);
  return {
    engine: 'pglite',
    em: () => orm.em.fork(),
    queries: orm.em.fork(),
    changes: maintained.changes,
    lite,
    openPool: undefined,
    withMigrationLock: (work) => work(),
    migrate: (onWait = () => undefined) => runMigrations(orm, onWait),
    appliedMigrations: () => appliedMigrations(orm),
    schemaDifference: () => orm.schema.getUpdateSchemaSQL({ wrap: false }),
    close: async () => {
      await maintained.stop();
      await orm.close(true);
      await lite.close();
    },
  };
}

async function initPgliteOrm(maintaining: Promise<MaintainedPglite>): Promise<PgliteOrm> {
  const { MikroORM } = await import('@mikro-orm/pglite');
  // It is asked for at the first statement.
  const pglite = () => maintaining.then(({ lite }) => lite);
  return MikroORM.init({ ...shared, dbName: 'postgres', driverOptions: { pglite } });
}

const UNREPORTED: SharedChanges = {
  isComplete: false,
  listen: () => () => undefined,
  report: () => undefined,
  close: async () => undefined,
};

/** The types that the ORM expects: instants and arrays of the driver would be converted twice. */
function ormTypes(): TypeOverrides {
  const types = new TypeOverrides();
  for (const [oid, parse] of Object.entries(createPostgreSqlTypeParsers((text) => parseArray(text)))) {
    types.setTypeParser(Number(oid), parse);
  }
  return types;
}

async function appliedMigrations(orm: PostgresOrm | PgliteOrm): Promise<string[]> {
  return (await orm.migrator.getExecuted()).map(({ name }) => name);
}
