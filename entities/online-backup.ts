/**
 * Copies the files of the embedded database while statements go on, as pg_basebackup does: between `pg_backup_start` and
 * `pg_backup_stop` files may be copied in any state, and the write-ahead log of that time makes them consistent.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';

/** A part of the copy: a file, a text, or an empty folder. Names are relative, with slashes. */
export type CopiedFile =
  | { readonly name: string; readonly path: string }
  | { readonly name: string; readonly content: string }
  | { readonly name: string; readonly isFolder: true };

/** Folders whose content belongs to the running process (PostgreSQL manual, Making a Base Backup Using the Low Level API). */
const EMPTIED = [
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
];

const LEFT_OUT = /^(?:postmaster\.(?:pid|opts)|backup_label(?:\.old)?|pgsql_tmp.*)$/;

const SEGMENT = /^[0-9A-F]{24}$/;

/** Segments of the write-ahead log in one of its files of 4 GB: the last eight digits of a name count to it. */
const SEGMENTS = 256;

/** Keeps the log of a copy: checkpoints that are made meanwhile would remove it. It ends with the process. */
const SLOT = 'carillon_backup';

/**
 * Gives the files one after the other. Each is to be read before the next is asked for; it may change, grow, shrink or
 * disappear meanwhile.
 *
 * @param folder of the files
 * @param atEnd calls `stop`; the copy shows the database as it is at that instant
 */
export async function* copyOnline(
  lite: PGlite,
  folder: string,
  atEnd: (stop: () => Promise<void>) => Promise<void>,
): AsyncGenerator<CopiedFile> {
  let stopped: { readonly label: string; readonly last: string } | null = null;
  const stop = async () => {
    const { rows } = await lite.query<{ label: string; last: string }>(
      'select labelfile as label, pg_walfile_name(lsn) as last from pg_backup_stop(false)',
    );
    stopped = rows[0] ?? null;
  };
  await dropSlot(lite);
  await lite.query(`select pg_create_physical_replication_slot('${SLOT}', true, true)`);
  try {
    // The checkpoint is made at once.
    await lite.query(`select pg_backup_start('carillon', true)`);
  } catch (error) {
    await dropSlot(lite);
    throw error;
  }
  try {
    yield* filesBelow(folder, '');
    await atEnd(stop);
    const { label, last } = stopped ?? { label: '', last: '' };
    // The end of a backup begins a new file of the log, so what is committed later is not in these.
    const needed = logOf(
      label,
      (await readdir(join(folder, 'pg_wal'))).filter((name) => name <= last),
    );
    if (needed === null) throw new Error('a part of the write-ahead log of the copy is missing');
    for (const name of needed) yield { name: `pg_wal/${name}`, path: join(folder, 'pg_wal', name) };
    yield { name: 'backup_label', content: label };
  } finally {
    // An interrupted copy. The engine would refuse the next one.
    if (stopped === null) await stop();
    await dropSlot(lite);
  }
}

async function dropSlot(lite: PGlite): Promise<void> {
  await lite.query(`select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '${SLOT}'`);
}

/**
 * The segments of the write-ahead log that make a copy consistent, from the one in its label to the last of `names`.
 *
 * @returns null when one of them is missing
 */
export function logOf(label: string, names: readonly string[]): string[] | null {
  const first = /^START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)/.exec(label)?.[1];
  const log = names.filter((name) => SEGMENT.test(name) && first !== undefined && name >= first).toSorted();
  const isWhole = log[0] === first && log.every((name, index) => index === 0 || name === after(log[index - 1] ?? ''));
  return log.length > 0 && isWhole ? log : null;
}

function after(segment: string): string {
  const hex = (number: number) => number.toString(16).toUpperCase().padStart(8, '0');
  const [log, part] = [segment.slice(8, 16), segment.slice(16)].map((digits) => Number.parseInt(digits, 16));
  const next = Number(log) * SEGMENTS + Number(part) + 1;
  return segment.slice(0, 8) + hex(Math.floor(next / SEGMENTS)) + hex(next % SEGMENTS);
}

async function* filesBelow(folder: string, prefix: string): AsyncGenerator<CopiedFile> {
  for (const entry of await readdir(join(folder, prefix), { withFileTypes: true })) {
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (LEFT_OUT.test(entry.name)) continue;
    if (!entry.isDirectory()) {
      if (entry.isFile()) yield { name, path: join(folder, name) };
      continue;
    }
    yield { name, isFolder: true };
    if (name === 'pg_wal') yield* ['archive_status', 'summaries'].map((below) => folderIn(name, below));
    if (!EMPTIED.includes(name)) yield* filesBelow(folder, name);
  }
}

function folderIn(parent: string, name: string): CopiedFile {
  return { name: `${parent}/${name}`, isFolder: true };
}

/** A number that the files of a database get when they are created, and keep in each copy. */
export async function readInstallId(lite: PGlite): Promise<string> {
  const { rows } = await lite.query<{ id: string }>('select system_identifier::text as id from pg_control_system()');
  return rows[0]?.id ?? '';
}
