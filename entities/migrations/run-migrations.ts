/** Runs the migrations that a database does not have, and repeats one that did not get a lock. */
import type { MikroORM as PgliteOrm } from '@mikro-orm/pglite';
import type { MikroORM as PostgresOrm } from '@mikro-orm/postgresql';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../statement.ts';
import { initialMigration, migrations } from './index.ts';
import { replaceUnreleasedMigrations } from './unreleased-migrations.ts';

/** A migration that did not get a lock within two seconds. */
export interface MigrationWait {
  readonly migration: string;
  /** Seconds until it runs again. */
  readonly pauseSeconds: number;
}

/** Seconds before a migration runs again, each pause twice the one before. */
const PAUSE_SECONDS = { first: 1, longest: 30 } as const;

/** SQLSTATEs of statements that waited for a lock too long, or in a circle with another session. */
const LOCKED: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

const pause = statement('let the database wait before a migration runs again', {
  parameters: { seconds: 'int' },
  result: { slept: 'int' },
  sql: ({ seconds }) => `select 1 as slept from pg_sleep(${seconds})`,
});

/**
 * Other sessions, such as a backup with pg_dump, may hold a lock for hours: the migrations wait, and everyone else works.
 *
 * @param onWait called each time that a migration has to wait
 */
export async function runMigrations(
  orm: PostgresOrm | PgliteOrm,
  onWait: (wait: MigrationWait) => void,
): Promise<void> {
  const em: SqlEntityManager = orm.em.fork();
  let migration = await nextMigration(em);
  // The migrator would ask for the tables of the database first, which takes a fifth of the start of an embedded one.
  if (migration === undefined) return;
  let pauseSeconds: number = PAUSE_SECONDS.first;
  while (!(await runsToTheEnd(orm))) {
    migration = (await nextMigration(em)) ?? migration;
    onWait({ migration, pauseSeconds });
    await pause(em, { seconds: pauseSeconds });
    pauseSeconds = Math.min(pauseSeconds * 2, PAUSE_SECONDS.longest);
  }
}

/** The name of the first migration that the database has not run. */
async function nextMigration(em: SqlEntityManager): Promise<string | undefined> {
  const done = await replaceUnreleasedMigrations(em, initialMigration.name);
  return migrations.find(({ name }) => !done.has(name))?.name;
}

/** @returns false when a migration did not get a lock */
async function runsToTheEnd(orm: PostgresOrm | PgliteOrm): Promise<boolean> {
  try {
    await orm.migrator.up();
    return true;
  } catch (error) {
    if (!LOCKED.has((error as { readonly code?: unknown }).code)) throw error;
    return false;
  }
}
