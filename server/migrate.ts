/**
 * `npm run migrate`: brings the schema of the database up to date, and ends. Every start does it too. A deployment that does it
 * first learns of a failure before it replaces a process.
 */
import { acquireDataDirLock } from './data-dir-lock.ts';
import { ConfigError, readConfig } from './config.ts';
import { createLogger } from './logger.ts';
import { openDatabase } from './open-database.ts';

process.umask(0o077);

try {
  const config = readConfig(process.env);
  const lock = config.databaseUrl === undefined ? await acquireDataDirLock(config.dataDir) : undefined;
  const db = await openDatabase(config, createLogger(config.logLevel));
  await db.close();
  await lock?.release();
  process.stdout.write('The database has the schema of this version.\n');
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`carillon: ${error.message.split('\n')[0] ?? ''}\n`);
  process.exitCode = 1;
}
