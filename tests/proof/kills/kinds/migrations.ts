/** Starts on the schema of the first release, with rows in it, that are killed while they migrate it. */
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { migrations as registered } from '../../../../entities/migrations/index.ts';
import { openPglite, openPostgres } from '../../../../entities/orm.ts';
import { waitUntil } from '../../../crash/wait-until.ts';
import type { CaseInstall, CaseTools, Kind } from '../kill-case.ts';
import { createOldDatabase, SUM_OF_ROWS } from '../old-database.ts';
import { join } from 'node:path';

/** Tables that migrations change. A lock on one holds the migration in its middle. */
const CHANGED = ['connect_sessions', 'deliveries', 'owners', 'api_keys', 'posts', 'media'] as const;

export const migrations: Kind = {
  name: 'migrations',
  run: async (kills, tools) => {
    const { sampler } = tools;
    const template = await createOldDatabase(tools);
    let install = await tools.createInstall({ template });
    const sum = await sumOf(install);
    for (let kill = 0; kill < kills; kill += 1) {
      // A migrated database leaves nothing to interrupt.
      if ((await migratedCount(install)) === registered.length) {
        await verify(install, sum, tools);
        install = await tools.createInstall({ template });
      }
      if (install.databaseUrl !== undefined && sampler.chance(0.6)) {
        await killUnderLock(install, install.databaseUrl, sampler.pick(CHANGED), tools);
      } else await killAfter(install, sampler.next(), tools);
    }
    const server = await install.startAgain();
    await server.stop();
    await verify(install, sum, tools);
  },
};

async function sumOf(install: CaseInstall): Promise<string | undefined> {
  return (await install.sql<{ sum: string }>(SUM_OF_ROWS))[0]?.sum;
}

async function migratedCount(install: CaseInstall): Promise<number> {
  const sql = 'select count(*)::int as count from mikro_orm_migrations';
  return (await install.look<{ count: number }>(sql))[0]?.count ?? 0;
}

/** A migrated database is like a fresh one, with its rows as they were. */
async function verify(install: CaseInstall, sum: string | undefined, tools: CaseTools): Promise<void> {
  const database = await (install.databaseUrl === undefined
    ? openPglite(join(install.dataDir, 'db'))
    : openPostgres(install.databaseUrl));
  const difference = await database.schemaDifference();
  await database.close();
  if (difference !== '') tools.violation(`the schema differs from a fresh one: ${difference}`);
  const present = await sumOf(install);
  if (present !== sum) tools.violation(`the rows are ${present} and were ${sum}`);
  const rows = await install.sql<{ name: string }>('select name from mikro_orm_migrations order by id');
  const names = rows.map(({ name }) => name).join(', ');
  if (names !== registered.map(({ name }) => name).join(', ')) tools.violation(`the list of migrations is ${names}`);
}

/** Kills the start while its migration waits for a lock on a table. */
async function killUnderLock(install: CaseInstall, url: string, table: string, tools: CaseTools): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  let isOver = false;
  try {
    await client.query(`begin; lock table ${table} in row exclusive mode`);
    const { server, ready } = await install.launchAgain();
    const waits = async () => {
      if (isOver) return true;
      const rows = await install.sql<{ query: string }>(
        `select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    };
    const isHeld = waitUntil('the migration waits', waits).then(() => true);
    // Once it has migrated, nothing waits for the table any more.
    const held = await Promise.race([isHeld.catch(() => false), ready.then(() => false)]);
    await server.kill9();
    tools.killedAt(held ? `changing ${table}` : 'migrated, ready');
  } finally {
    isOver = true;
    await client.end();
  }
}

/** Kills the start at a share of the time that a start takes. */
async function killAfter(install: CaseInstall, drawn: number, tools: CaseTools): Promise<void> {
  const { server, ready } = await install.launchAgain();
  const began = performance.now();
  // Before a third of it the modules are loaded, and the database is not opened yet.
  const share = 0.3 + 0.7 * drawn;
  const reached = await Promise.race([ready.then(() => 'ready'), wait(startMs * share).then(() => 'starting')]);
  if (reached === 'ready') startMs = (startMs + performance.now() - began) / 2;
  else if (share > 0.7) startMs *= 1.4;
  await server.kill9();
  const isMigrated = (await migratedCount(install)) === registered.length;
  tools.killedAt(`${reached}, ${isMigrated ? 'migrated' : 'not migrated yet'}`);
}

/** How long a start takes until it is ready, as far as is known. */
let startMs = 4_000;
