/** A person who is removed while Allow, which they have pressed, is still being stored. */
import { expect, it } from 'vitest';
import { holdRows } from '../harness/hold-rows.ts';
import { OWNER_ENV } from '../harness/owner.ts';
import { startWorld } from '../harness/world.ts';
import { openConsent, registered } from './agents.ts';
import { personOf } from './people.ts';

const world = await startWorld({ env: OWNER_ENV });
const isPostgres = world.db.engine === 'postgres';

/** A person with an open consent page, and an owner who removes them. */
async function asked() {
  const [owner, person] = [await personOf(world, 'owner'), await personOf(world, 'editor')];
  const consent = await openConsent(person.browser, { clientId: await registered(world) });
  return {
    person,
    allow: () => person.browser.press(consent, 'Allow', { 'What it reaches': 'account' }),
    remove: () => owner.call('people.remove', { personId: person.ownerId }),
  };
}

const records = () => world.sql(`select kind from oauth_artifacts where kind = 'Grant'`);

it.skipIf(!isPostgres)('gives no access when they are removed first, and the page says so', async () => {
  const { allow, remove } = await asked();
  const held = await holdRows(world, `select 1 from oauth_artifacts where kind = 'Interaction' for update`);
  const pressed = allow();
  await held.waiting(1, pressed);
  expect((await remove()).status).toBe(200);
  await held.release();

  const { status, text } = await pressed;

  expect(status).toBe(401);
  expect(text).toContain('You were removed from this account meanwhile. The agent got no access.');
  expect([await records(), await world.sql('select 1 from oauth_grants')]).toEqual([[], []]);
});

it.skipIf(!isPostgres)('leaves nothing of the access when Allow is stored first', async () => {
  const { allow, remove } = await asked();
  const held = await holdRows(world, 'select 1 from accounts for no key update');
  const removed = remove();
  await held.waiting(1, removed);
  expect((await allow()).status).toBe(303);
  await held.release();

  expect((await removed).status).toBe(200);
  expect([await records(), await world.sql('select 1 from oauth_grants')]).toEqual([[], []]);
});

it('answers both when they happen at the same moment', async () => {
  const { allow, remove } = await asked();
  const [pressed, removed] = await Promise.all([allow(), remove()]);

  expect([[303, 401], [200]]).toEqual([expect.arrayContaining([pressed.status]), [removed.status]]);
  expect([await records(), await world.sql('select 1 from oauth_grants')]).toEqual([[], []]);
});
