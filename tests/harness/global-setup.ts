/** Creates the migrated template and builds the console, once per run. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from '../../scripts/ensure-built.js';
import { openPglite, openPostgres } from '../../entities/orm.ts';
import { databaseUrl, onServer, selectOnServer, TEMPLATE_VARIABLE, TEST_DATABASE_URL } from './database.ts';

export default async function setup(): Promise<() => Promise<void>> {
  await ensureBuilt(join(import.meta.dirname, '../..'), 'console');
  return TEST_DATABASE_URL === undefined ? setupPglite() : setupPostgres();
}

async function setupPglite(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-test-'));
  const database = await openPglite(undefined);
  await database.migrate();
  const dump = await database.lite?.dumpDataDir('none');
  await database.close();
  const file = join(folder, 'template.tar');
  await writeFile(file, Buffer.from(await (dump as Blob).arrayBuffer()));
  process.env[TEMPLATE_VARIABLE] = file;
  return () => rm(folder, { recursive: true, force: true });
}

async function setupPostgres(): Promise<() => Promise<void>> {
  const name = `carillon_test_${process.pid}`;
  await onServer(`drop database if exists ${name} with (force)`);
  await onServer(`create database ${name}`);
  const database = await openPostgres(databaseUrl(name));
  await database.migrate();
  await database.close();
  process.env[TEMPLATE_VARIABLE] = name;
  return async () => {
    // The workers end without dropping the databases that they keep for their next world.
    const sql = `select datname from pg_database where starts_with(datname, '${name}')`;
    for (const { datname } of await selectOnServer<{ datname: string }>(sql))
      await onServer(`drop database if exists ${datname} with (force)`);
  };
}
