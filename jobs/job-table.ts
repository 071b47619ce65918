/** Creates Agenda's table, which no migration does. */
import { PostgresBackend } from '@agendajs/postgres-backend';
import type { Pool } from 'pg';
import packageJson from '../package.json' with { type: 'json' };
import type { Context } from '../services/context.ts';
import { openAgendaPool } from './agenda-pool.ts';

/** The version of the library that made the table, as the table's comment has it. */
const MAKER = `@agendajs/postgres-backend ${packageJson.dependencies['@agendajs/postgres-backend']}`;

const FIND_MAKER = `select obj_description(to_regclass('agenda_jobs'), 'pg_class') as maker`;

/**
 * Two workers that create the table at once conflict, so it is created under the migration lock. A start on a table of this version
 * leaves it: the library would repeat a dozen statements that change the schema.
 */
export async function createJobTable({ db }: Pick<Context, 'db'>, pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ maker: string | null }>(FIND_MAKER);
  if (rows[0]?.maker === MAKER) return;
  await db.withMigrationLock(async () => {
    await new PostgresBackend({ pool, disableNotifications: true }).connect();
    await pool.query(`comment on table agenda_jobs is '${MAKER}'`);
  });
}

/** The same for a database that no worker has opened. */
export async function createFirstJobTable(context: Pick<Context, 'db' | 'clock' | 'log'>): Promise<void> {
  const connection = openAgendaPool(context);
  try {
    await createJobTable(context, connection.pool);
  } finally {
    await connection.close();
  }
}
