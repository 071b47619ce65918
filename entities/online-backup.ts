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
  // The checkpoint is made at once. The engine also removes the log that it no longer needs then.
  await lite.query(`select pg_backup_start('carillon', true)`);
  try {
    yield* filesBelow(folder, '');
    await atEnd(stop);
    const { label, last } = stopped ?? { label: '', last: '' };
    const first = /^START WAL LOCATION: \S+ \(file (\w+)\)/.exec(label)?.[1];
    if (first === undefined) throw new Error('the copy of the embedded database has no first log file');
    // The end of a backup begins a new file of the log, so what is committed later is not in these.
    const segments = (await readdir(join(folder, 'pg_wal'))).filter((name) => SEGMENT.test(name)).toSorted();
    for (const name of segments.filter((segment) => segment >= first && segment <= last)) {
      yield { name: `pg_wal/${name}`, path: join(folder, 'pg_wal', name) };
    }
    yield { name: 'backup_label', content: label };
  } finally {
    // An interrupted copy. The engine would refuse the next one.
    if (stopped === null) await stop();
  }
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
