/** The migrations and the entities produce the same schema, on the engine under test. */
import { afterAll, expect, it } from 'vitest';
import { openTestDatabase } from '../harness/database.ts';

const database = await openTestDatabase();
afterAll(() => database.close());

it('the migrated schema and the entities are the same', async () => {
  expect(await database.schemaDifference()).toBe('');
});

it('migrates an up-to-date database without any change, also from two processes at once', async () => {
  await Promise.all(database.engine === 'postgres' ? [database.migrate(), database.migrate()] : [database.migrate()]);

  expect(await database.schemaDifference()).toBe('');
});
