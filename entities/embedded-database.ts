/** Opens the files of the embedded database, and creates them when there are none. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { PGlite, PGliteOptions } from '@electric-sql/pglite';
import { childEnvironment } from './child-environment.ts';
import { prepareFrequent } from './prepare-frequent.ts';

/**
 * Memory that the engine keeps pages in, all of which it occupies from its start. Its default is 128 MB; the operating system
 * keeps the pages of the files as well.
 */
const SHARED_BUFFERS = '32MB';

/**
 * The types of arrays that statements return: `pg_type.oid` of bool[], name[], int2[], int4[], text[], varchar[], int8[], float8[],
 * numeric[], uuid[], json[] and jsonb[].
 */
const ARRAYS = [1000, 1003, 1005, 1007, 1009, 1015, 1016, 1022, 1231, 2951, 199, 3807] as const;

/**
 * Opens the files, which no other process has open: callers hold the lock of the install.
 *
 * @param dataDir folder of the files; in memory when undefined
 */
export async function openLite(dataDir: string | undefined, options: PGliteOptions): Promise<PGlite> {
  if (dataDir !== undefined) {
    await createIfMissing(dataDir);
    // The engine does not start beside an empty one, which a process leaves that is killed between creating and writing it.
    await rm(join(dataDir, 'postmaster.pid'), { force: true });
  }
  // A process on PostgreSQL never loads it.
  const { PGlite: Lite, types } = await import('@electric-sql/pglite');
  const startParams = [...Lite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`];
  const lite = await Lite.create({ ...options, ...(dataDir === undefined ? {} : { dataDir }), startParams });
  // It copies all of them for each statement, which took most of the time of a short one: also one for an array of the rows of each table.
  const read = [...Object.keys({ ...types.parsers, ...options.parsers }), ...ARRAYS.map(String)];
  lite.parsers = Object.fromEntries(Object.entries(lite.parsers).filter(([type]) => read.includes(type)));
  prepareFrequent(lite);
  return lite;
}

/**
 * Creates the files in another process and another folder, which is renamed when it is complete. A start that is killed
 * meanwhile leaves nothing that looks like a database.
 */
async function createIfMissing(dataDir: string): Promise<void> {
  const present = await readdir(dataDir).catch(() => []);
  if (present.length > 0) return;
  const folder = dirname(dataDir);
  const prefix = `${basename(dataDir)}.new-`;
  // The creation of a start that was killed may still be writing for some seconds; what it writes is never opened.
  const left = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith(prefix));
  const remove = { recursive: true, force: true, maxRetries: 3, retryDelay: 100 } as const;
  for (const name of left) await rm(join(folder, name), remove).catch(() => undefined);
  const fresh = join(folder, `${prefix}${process.pid}`);
  await runCreation(fresh);
  await rename(fresh, dataDir);
}

async function runCreation(folder: string): Promise<void> {
  const program = join(import.meta.dirname, 'create-embedded.ts');
  const child = spawn(process.execPath, [program, folder], {
    env: childEnvironment(),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const [said, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (code === 0) return;
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  throw new Error(`the files of the embedded database could not be created (${how}) ${said.slice(-500)}`.trim());
}
