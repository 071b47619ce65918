/** The changes that a reader of the console's stream is told about (GET /owner/events). */
import { expect, it } from 'vitest';
import { followChanges } from '../../services/audit/follow-changes.ts';
import { makeAccount } from '../harness/accounts.ts';
import { startWorld } from '../harness/world.ts';
import { refresh, signIn, tokensFor } from '../oauth/agents.ts';

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

it('the end of an agent whose token was used twice is a change, and a refusal that changes nothing is none', async () => {
  const person = await signIn(world);
  const { clientId, refresh: token } = await tokensFor(world, person);
  await refresh(world, clientId, token);
  world.clock.advance(11_000);
  const changes = await followChanges(world.context, person.accountId);

  await world.rest('POST /profiles', { body: { name: '' } });
  await refresh(world, clientId, token);

  expect(await changes()).toMatchObject([{ operation: 'oauth.replay' }]);
});
