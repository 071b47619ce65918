/** A copy holds due posts when its source is a restored backup, also when no process has noticed that yet. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { copyDatabase } from '../../entities/copy-database.ts';
import { HOME } from '../../entities/database-mark.ts';
import { type Database, openPostgres } from '../../entities/orm.ts';
import { inOneTransaction } from '../../entities/table-transfer.ts';
import { databaseUrl, onServer, openTestDatabase, TEMPLATE_VARIABLE, TEST_DATABASE_URL } from '../harness/database.ts';

const NAMES = { source: `carillon_mark_source_${process.pid}`, target: `carillon_mark_target_${process.pid}` };

if (TEST_DATABASE_URL !== undefined) {
  beforeAll(async () => {
    const template = process.env[TEMPLATE_VARIABLE];
    for (const name of Object.values(NAMES)) await onServer(`create database ${name} template ${template}`);
  });
  afterAll(async () => {
    for (const name of Object.values(NAMES)) await onServer(`drop database if exists ${name} with (force)`);
  });
}

/** A database without rows. This process has no other connection to it, which a copy would refuse. */
async function openEmpty(end: keyof typeof NAMES): Promise<Database> {
  const database = await (TEST_DATABASE_URL === undefined ? openTestDatabase() : openPostgres(databaseUrl(NAMES[end])));
  onTestFinished(async () => {
    await inOneTransaction(database, (run) => run('delete from database_marks'));
    await database.close();
  });
  return database;
}

it.each([
  ['in its place', HOME, { isRestored: false, marks: [{ place: 'its own' }] }],
  ['a new copy of an older version', 'null', { isRestored: false, marks: [{ place: 'its own' }] }],
  ['never started', null, { isRestored: false, marks: [] }],
  ['a restored backup', `'a restored backup'`, { isRestored: true, marks: [{ place: 'a restored backup' }] }],
  ['a restored dump', `'of another database'`, { isRestored: true, marks: [{ place: 'a restored backup' }] }],
])('the mark of a copy, of a source that is %s', async (_which, home, expected) => {
  const [source, target] = [await openEmpty('source'), await openEmpty('target')];
  if (home !== null) {
    await inOneTransaction(source, (run) => run(`insert into database_marks (id, home) values (1, ${home})`));
  }

  const { isRestored } = await copyDatabase(source, target, () => Promise.resolve());

  const marks = await inOneTransaction(target, (run) =>
    run(`select case home when ${HOME} then 'its own' else home end as place from database_marks`),
  );
  expect({ isRestored, marks }).toEqual(expected);
});
