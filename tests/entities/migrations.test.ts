/** Databases that were created before the first release still open, or the error says what to do. */
import { randomUUID } from 'node:crypto';
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

describe('an abbreviation of a time zone that an earlier version accepted', () => {
  it('becomes the IANA zone with its wall times, for queues, digests and quiet hours, and other zones stay', async () => {
    const database = await databaseWith(NAMES.filter((name) => name !== '20261126-zone-names'));
    const em = database.em();
    const [accountId, other] = [randomUUID(), randomUUID()];
    await query(em, `insert into accounts (id, created_at) values ($1, now())`, [accountId]);
    onTestFinished(async () => {
      for (const table of ['connections', 'owners', 'policies']) {
        await query(em, `delete from ${table} where account_id = $1`, [accountId]);
      }
      await query(em, 'delete from accounts where id = $1', [accountId]);
    });
    const store = async (id: string, zone: string) => {
      await query(
        em,
        `insert into connections (id, account_id, platform_id, slug, description, timezone, queue_slots, platform_account_id, handle, created_at)
         values ($1::uuid, $2, 'sandbox', $1::text, '', $3, '[]', $1::text, 'bells', now())`,
        [id, accountId, zone],
      );
      await query(
        em,
        `insert into owners (id, account_id, email, created_at, digest_zone) values ($1::uuid, $2, $1::text || '@bells.example', now(), $3)`,
        [id, accountId, zone],
      );
      const rules = JSON.stringify({ postsPerDay: 5, quietHours: { from: '22:00', to: '07:00', timezone: zone } });
      await query(
        em,
        `insert into policies (id, account_id, kind, rules, changed_at, changed_by_kind, changed_by_id, changed_by_name)
         values ($1, $2, 'key', $3, now(), 'person', $1, 'Anna')`,
        [id, accountId, rules],
      );
    };
    const abbreviated = randomUUID();
    await store(abbreviated, 'pst');
    await store(other, 'Europe/Paris');

    await database.migrate();

    const rows = await query<{ id: string }>(
      em,
      `select c.id, c.timezone, o.digest_zone, p.rules from connections c join owners o on o.id = c.id join policies p on p.id = c.id
       where c.account_id = $1`,
      [accountId],
    );
    const zoned = (id: string, zone: string) => ({
      id,
      timezone: zone,
      digest_zone: zone,
      rules: { postsPerDay: 5, quietHours: { from: '22:00', to: '07:00', timezone: zone } },
    });
    expect(rows.toSorted((a, b) => Number(b.id === abbreviated) - Number(a.id === abbreviated))).toEqual([
      zoned(abbreviated, 'America/Los_Angeles'),
      zoned(other, 'Europe/Paris'),
    ]);
  });
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

describe('an index that a failed `create index concurrently` left', () => {
  const REPLACED = 'post_words_time_index';

  /** A database before the migration that replaces an index of the words, with the new one already there. */
  async function databaseBefore(): Promise<Database> {
    const database = await databaseWith(NAMES.filter((name) => name !== '20261128-periods-before-words'));
    await query(database.em(), `create index "${REPLACED}" on "post_words" using gin ("words")`);
    return database;
  }

  const indexesOf = (database: Database) =>
    query<{ oid: number; name: string; valid: boolean }>(
      database.em(),
      `select indexrelid::int as oid, indexrelid::regclass::text as name, indisvalid as valid from pg_index
       where indrelid = 'post_words'::regclass and not indisprimary`,
    );

  it('is built again before the index that it replaces is dropped', async () => {
    const database = await databaseBefore();
    const mark = `update pg_index set indisvalid = false where indexrelid = 'post_words_search_index'::regclass returning indexrelid::int as oid`;
    const [invalid] = await query<{ oid: number }>(database.em(), mark);

    await database.migrate();

    const indexes = await indexesOf(database);
    expect(indexes).toEqual([{ oid: expect.any(Number), name: 'post_words_search_index', valid: true }]);
    expect(indexes[0]?.oid).not.toBe(invalid?.oid);
  });

  it('is left as it is when it was built completely', async () => {
    const database = await databaseBefore();
    const [complete] = (await indexesOf(database)).filter(({ name }) => name === 'post_words_search_index');

    await database.migrate();

    expect(await indexesOf(database)).toEqual([complete]);
  });
});
