/**
 * Opens the database: PostgreSQL when a URL is given, otherwise the embedded PGlite. Both use the same entities and
 * migrations.
 */
import { takeAdvisoryLock } from './advisory-locks.ts';
import { PGlite } from '@electric-sql/pglite';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM as PgliteOrm } from '@mikro-orm/pglite';
import { MikroORM as PostgresOrm, type Options } from '@mikro-orm/postgresql';
import { createPostgreSqlTypeParsers, type SqlEntityManager } from '@mikro-orm/sql';
import { parse as parseArray } from 'postgres-array';
import { maintainEmbedded } from './embedded-maintenance.ts';
import { entities } from './index.ts';
import { initialMigration, migrations } from './migrations/index.ts';
import { replaceUnreleasedMigrations } from './migrations/unreleased-migrations.ts';
import { detectPooler, PreparingClient } from './preparing-client.ts';

/** An open database. */
export interface Database {
  readonly engine: 'postgres' | 'pglite';
  /** A new entity manager with a separate identity map. */
  em(): SqlEntityManager;
  /** Runs pending migrations; safe when several processes start at once. */
  migrate(): Promise<void>;
  /** Runs schema work that must not run in two processes at once. */
  withMigrationLock(work: () => Promise<void>): Promise<void>;
  /** SQL that would change the schema to match the entities; empty when it matches. */
  schemaDifference(): Promise<string>;
  /** The embedded instance; undefined on PostgreSQL. */
  readonly lite: PGlite | undefined;
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
  migrations: { migrationsList: migrations, snapshot: false, silent: true },
  forceUtcTimezone: true,
} satisfies Options;

/** Opens PostgreSQL. `poolSize` limits the connections of this process. */
export async function openPostgres(url: string, poolSize = 10): Promise<Database> {
  const orm = await PostgresOrm.init({
    ...shared,
    clientUrl: url,
    pool: { min: 0, max: poolSize },
    // A misspelt name must be an error and not create a database.
    ensureDatabase: false,
    driverOptions: { Client: PreparingClient },
    onCreateConnection: detectPooler,
  });
  // A transaction-level lock cannot outlive a crashed process; the work runs on another connection meanwhile.
  const withMigrationLock = (work: () => Promise<void>) =>
    orm.em.fork().transactional(async (em) => {
      await takeAdvisoryLock(em, 'migrations');
      await work();
    });
  return {
    engine: 'postgres',
    em: () => orm.em.fork(),
    lite: undefined,
    withMigrationLock,
    migrate: () => withMigrationLock(() => migrate(orm)),
    schemaDifference: () => orm.schema.getUpdateSchemaSQL({ wrap: false }),
    close: () => orm.close(true),
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
  const lite = await PGlite.create({
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(template === undefined ? {} : { loadDataDir: template }),
    parsers: { ...createPostgreSqlTypeParsers((text) => parseArray(text)), [BIGINT]: (text: string) => text },
  });
  const maintained = maintainEmbedded(lite, onMaintenanceError);
  const driverOptions = { pglite: () => maintained.lite };
  const orm = await PgliteOrm.init({ ...shared, dbName: 'postgres', driverOptions });
  return {
    engine: 'pglite',
    em: () => orm.em.fork(),
    lite,
    withMigrationLock: (work) => work(),
    migrate: () => migrate(orm),
    schemaDifference: () => orm.schema.getUpdateSchemaSQL({ wrap: false }),
    close: async () => {
      await maintained.stop();
      await orm.close(true);
      await lite.close();
    },
  };
}

async function migrate(orm: PostgresOrm | PgliteOrm): Promise<void> {
  await replaceUnreleasedMigrations(orm.em.fork(), initialMigration.name);
  await orm.migrator.up();
}
