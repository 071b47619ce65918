/** Databases that were created before the first release still open, or the error says what to do. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrations } from '../../entities/migrations/index.ts';
import { UNRELEASED_MIGRATIONS } from '../../entities/migrations/unreleased-migrations.ts';
import type { MigrationWait } from '../../entities/migrations/run-migrations.ts';
import type { Database } from '../../entities/orm.ts';
import { query } from '../harness/query.ts';
import { loggableError } from '../../errors/loggable-error.ts';
import { openTestDatabase } from '../harness/database.ts';

const LIST = 'mikro_orm_migrations';
const NAMES = migrations.map(({ name }) => name);

/** A database whose list of migrations is `names`. */
async function databaseWith(names: readonly string[]): Promise<Database> {
  const database = await openTestDatabase();
  const setList = async (listed: readonly string[]) => {
    await query(database.em(), `delete from ${LIST}`);
    await query(database.em(), `insert into ${LIST} (name) select unnest($1::text[])`, [listed]);
  };
  onTestFinished(async () => {
    // The next test of this process gets the same database.
    await setList(NAMES);
    await database.close();
  });
  await setList(names);
  return database;
}

async function namesOf(database: Database): Promise<string[]> {
  const rows = await query<{ name: string }>(database.em(), `select name from ${LIST} order by id`);
  return rows.map(({ name }) => name);
}

describe('a database that ran all migrations from before the first release', () => {
  it('opens without any change but the list of migrations, also from two processes at once', async () => {
    const database = await databaseWith(UNRELEASED_MIGRATIONS);

    await Promise.all(database.engine === 'postgres' ? [database.migrate(), database.migrate()] : [database.migrate()]);

    expect(await namesOf(database)).toEqual(NAMES);
    expect(await database.schemaDifference()).toBe('');
  });
});

describe('a database that ran only some of them', () => {
  it.each([1, UNRELEASED_MIGRATIONS.length - 1])(
    'is refused after %i, with the commit to start once, and stays as it is',
    async (count) => {
      const names = UNRELEASED_MIGRATIONS.slice(0, count);
      const database = await databaseWith(names);

      const error = await database.migrate().catch((thrown: unknown) => thrown);

      // What the start prints, see server/install.ts.
      expect(loggableError(error).message).toMatch(
        /^its schema is older than the first release supports: start commit [0-9a-f]{7} of Carillon on it once, then this version$/,
      );
      expect(await namesOf(database)).toEqual(names);
    },
  );
});

describe.runIf(process.env['TEST_DATABASE_URL'] !== undefined)('a migration that waits for a lock', () => {
  it('lets everyone read meanwhile, says that it waits, and runs when the lock is free', async () => {
    const [migration = ''] = NAMES.slice(NAMES.indexOf('20261123-stops'));
    const database = await databaseWith(NAMES.filter((name) => name !== migration));
    const waits: MigrationWait[] = [];
    const waiting = Promise.withResolvers<void>();
    const migrating = Promise.withResolvers<void>();

    // As pg_dump does, until it ends.
    await database.em().transactional(async (em) => {
      await query(em, 'lock table posts in access share mode');
      const ended = database.migrate((wait) => {
        waits.push(wait);
        waiting.resolve();
      });
      ended.then(migrating.resolve, migrating.reject);
      await waiting.promise;
      await query(database.em(), 'select count(*) from posts');
    });
    await migrating.promise;

    expect(waits[0]).toEqual({ migration, pauseSeconds: 1 });
    expect((await namesOf(database)).toSorted()).toEqual(NAMES.toSorted());
    expect(await database.schemaDifference()).toBe('');
  });
});
