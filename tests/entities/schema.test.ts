/** The migrations and the entities say the same, on the engine the suite runs on. */
import { afterAll, expect, it } from 'vitest';
import { openTestDatabase } from '../harness/database.ts';

const database = await openTestDatabase();
afterAll(() => database.close());

it('leaves no difference between the migrated schema and the entities', async () => {
  expect(await database.schemaDifference()).toBe('');
});

it('migrates an up-to-date database without doing anything, also from two starters at once', async () => {
  await Promise.all(database.engine === 'postgres' ? [database.migrate(), database.migrate()] : [database.migrate()]);

  expect(await database.schemaDifference()).toBe('');
});
