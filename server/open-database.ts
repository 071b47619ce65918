/** Opens the database that the configuration names and brings its schema up to date, with an error that operators can read. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Database, openPglite, openPostgres } from '../entities/orm.ts';
import { loggableError } from '../errors/loggable-error.ts';
import type { Config } from '../services/config.ts';
import { systemClock } from './clocks.ts';
import { ConfigError } from './config.ts';

/** @throws ConfigError that names the setting and why the database cannot be opened */
export async function openDatabase({ databaseUrl, dataDir }: Config, log: Pick<Logger, 'warn'>): Promise<Database> {
  const onDeadlock = (err: unknown) => log.warn({ err }, 'a transaction runs again after a deadlock');
  const onMaintenanceError = (err: unknown) => log.warn({ err }, 'the embedded database could not be vacuumed');
  try {
    const db =
      databaseUrl === undefined
        ? await openPglite(join(dataDir, 'db'), undefined, onMaintenanceError)
        : await openPostgres(databaseUrl, { sleep: systemClock.sleep, onDeadlock });
    await db.migrate((wait) => log.warn(wait, 'a migration waits for a lock of another session'));
    return db;
  } catch (error) {
    const variable = databaseUrl === undefined ? 'DATA_DIR' : 'DATABASE_URL';
    throw new ConfigError(`${variable}: the database cannot be opened (${whyNotOpened(error)})`, { cause: error });
  }
}

/** SQLSTATE classes of failed connections. Their messages name users and databases, and contain no rows. */
const CONNECTING = /^(?:08|28|3D)\w{3}$/;

/** The error of a failed migration may quote stored data, so only a failure to connect shows the database's message. */
function whyNotOpened(error: unknown): string {
  const { type, code, message } = loggableError(error);
  if (error instanceof Error && CONNECTING.test(code ?? '')) return error.message.split('\n')[0] ?? type;
  return message ?? code ?? type;
}
