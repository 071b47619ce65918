/**
 * The migrations of before the first release were merged into the initial one. A database that has run all of them has
 * the same schema, so its list of migrations is rewritten, once.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../statement.ts';

/** Every migration before the first release, as the list of a database names them. */
export const UNRELEASED_MIGRATIONS: readonly string[] = [
  '20261121-initial',
  '20261121-whole-posts',
  '20261121-plans-and-queues',
  '20261121-long-lists',
  '20261121-tenants',
  '20261121-connect-sessions',
  '20261121-login-renewal',
  '20261121-followed-accounts',
  '20261121-webhooks',
  '20261121-metrics',
  '20261121-health-history',
  '20261121-event-order',
  '20261121-polish',
  '20261121-oauth',
  '20261121-people',
  '20261121-passkeys',
  '20261121-connect-session-callers',
  '20261121-audit',
  '20261122-worker-starts',
  '20261122-read-pauses',
  '20261122-webhook-changes',
  '20261122-sandbox-threads',
  '20261122-sends',
  '20261122-idempotency-callers',
  '20261122-limits-of-keys',
  '20261122-message-cap',
  '20261122-post-filters',
  '20261122-lease-names',
];

/** The last commit that contains them. */
const LAST_COMMIT = '931eb30';

const findList = statement('check for the list of migrations', {
  result: { exists: 'boolean' },
  sql: () => `select to_regclass('mikro_orm_migrations') is not null as "exists"`,
});

const listMigrations = statement('list the migrations that have run', {
  result: { name: 'text' },
  sql: () => 'select name::text from mikro_orm_migrations',
});

const replaceMigrations = statement('replace the names of migrations that have run', {
  parameters: { replaced: 'text[]', initial: 'text' },
  sql: ({ replaced, initial }) => `
    with replaced as (delete from mikro_orm_migrations where name = any(${replaced}) returning name)
    insert into mikro_orm_migrations (name) select ${initial} from replaced limit 1`,
});

/**
 * Marks the initial migration as done when the database has run all migrations that it replaces. Safe to repeat.
 *
 * @param initial name of the initial migration
 * @returns the names of the migrations that the database has run
 * @throws Error when the database has run only some of them
 */
export async function replaceUnreleasedMigrations(em: SqlEntityManager, initial: string): Promise<ReadonlySet<string>> {
  const [table] = await findList(em);
  if (!table?.exists) return new Set();
  const done = new Set((await listMigrations(em)).map(({ name }) => name));
  if (done.size === 0 || done.has(initial)) return done;
  if (UNRELEASED_MIGRATIONS.some((name) => !done.has(name))) {
    throw new Error(
      `its schema is older than the first release supports: start commit ${LAST_COMMIT} of Carillon on it once, then this version`,
    );
  }
  await replaceMigrations(em, { replaced: [...UNRELEASED_MIGRATIONS], initial });
  return done.add(initial);
}
