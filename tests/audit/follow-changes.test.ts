/** The changes that a reader of the console's stream is told about (GET /owner/events). */
import { expect, it } from 'vitest';
import { followChanges } from '../../services/audit/follow-changes.ts';
import { makeAccount } from '../harness/accounts.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();

it('every change is read once, from the moment on at which a reader begins', async () => {
  const { id: accountId, key } = await makeAccount(world);
  const createProfile = async (name: string) => {
    const { body } = await world.rest('POST /profiles', { key, body: { name } });
    return { operation: 'profiles.create', object_ids: [body.profile.id] };
  };
  await createProfile('Before');
  const changes = await followChanges(world.context, accountId);

  const first = await createProfile('First');
  const afterFirst = await changes();
  const second = await createProfile('Second');

  expect(afterFirst).toMatchObject([first]);
  expect(await changes()).toMatchObject([second]);
  expect(await changes()).toEqual([]);
});
