/** Checks of this machine and this install: runtime, folder, keys, backups and webhooks. */
import { constants, stat, statfs } from 'node:fs/promises';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { missingKeyMarks } from '../credentials/re-encrypt-credentials.ts';
import { listBackups } from '../backups/list-backups.ts';
import { isPresent } from '../is-present.ts';
import { timestamp } from '../timestamp.ts';
import { type CheckOutcome, failed, notChecked, ok, warning } from './check.ts';

/** Free space of the disk with DATA_DIR, in bytes. */
const SPACE = { warning: 1_000_000_000, failed: 100_000_000 } as const;

/** Permission bits of everyone except the owner. */
const OTHERS = 0o077;

/** @param wanted version that the package pins, such as `26.10.0` */
export function checkRuntime(running: string, wanted: string): CheckOutcome {
  const measured = `Node.js ${running}.`;
  const major = (version: string) => version.split('.')[0];
  if (major(running) === major(wanted)) return ok(measured);
  return failed(measured, `Start with npm start, or with node_modules/.bin/node, which is ${wanted}.`);
}

export async function checkStorage({ config }: Pick<Context, 'config'>): Promise<CheckOutcome> {
  const { dataDir } = config;
  const found = await stat(dataDir).catch(() => null);
  if (found === null) return notChecked(`${dataDir} does not exist yet.`, 'The first start creates it.');
  const isWritable = await isPresent(dataDir, constants.W_OK);
  if (!isWritable) return failed(`${dataDir} is not writable.`, 'Give the folder to the user of the server: chown -R.');
  if ((found.mode & OTHERS) !== 0) {
    return failed(`Other users can reach ${dataDir}.`, 'Run chmod -R go-rwx on it; a start does so too.');
  }
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const measured = `${(free / 1e9).toFixed(1)} GB are free for ${dataDir}, which only its owner can read.`;
  if (free < SPACE.failed) return failed(measured, 'Make space: requests that need it answer 503.');
  return free < SPACE.warning ? warning(measured, 'Make space, or move the folder to a larger disk.') : ok(measured);
}

export async function checkKeys(context: Context): Promise<CheckOutcome> {
  const missing = await missingKeyMarks(context);
  const marks = context.vault.keyMarks.join(', ');
  if (missing.length === 0) return ok(`Every stored credential can be decrypted; the keys have the marks ${marks}.`);
  return failed(
    `Stored credentials need the keys with the marks ${missing.join(', ')}; this install has ${marks}.`,
    'Add the missing key to ENCRYPTION_KEYS behind the first one.',
  );
}

export async function checkBackups({ config, clock, db }: Context): Promise<CheckOutcome> {
  if (db.engine === 'postgres') {
    return notChecked('PostgreSQL is backed up outside of Carillon.', 'Use pg_dump or pgBackRest.');
  }
  const { folder, schedule } = config.backups;
  const [newest] = await listBackups(folder);
  const measured =
    newest === undefined ? `No backup is in ${folder}.` : `The newest is of ${newest.manifest.createdAt}.`;
  if (schedule === null) return warning(measured, 'Set BACKUP_EVERY_HOURS, or run backup create regularly.');
  const since = new Date(clock.now().getTime() - 2 * schedule.everyMs);
  if (newest !== undefined && newest.manifest.createdAt >= timestamp(since)) return ok(measured);
  return failed(measured, 'Look for "a backup failed" in the log; check space and permissions of BACKUP_DIR.');
}

export async function checkWebhooks({ db }: Context): Promise<CheckOutcome> {
  const rows = await tables(db.queries)
    .selectFrom('webhooks')
    .select(['id', 'disabled_reason', 'failing'])
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('failing', '=', true), eb('disabled_reason', '=', 'failing')]))
    .orderBy('id')
    .limit(100)
    .execute();
  if (rows.length === 0) return ok('No webhook is failing.');
  const disabled = rows.filter((row) => row.disabled_reason === 'failing').length;
  return warning(
    `${rows.length} webhooks fail, ${disabled} of them are disabled: ${rows
      .map(({ id }) => id)
      .slice(0, 5)
      .join(', ')}.`,
    'See their deliveries at /webhooks; correct the receiver and enable them again.',
  );
}
