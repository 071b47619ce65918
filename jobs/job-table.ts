/** Creates Agenda's table, which no migration does. */
import { PostgresBackend } from '@agendajs/postgres-backend';
import type { Pool } from 'pg';
import type { Context } from '../services/context.ts';
import { openAgendaPool } from './agenda-pool.ts';

/** Two workers that create the table at once conflict, so it is created under the migration lock. */
export async function createJobTable({ db }: Pick<Context, 'db'>, pool: Pool): Promise<void> {
  await db.withMigrationLock(async () => {
    await new PostgresBackend({ pool, disableNotifications: true }).connect();
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
