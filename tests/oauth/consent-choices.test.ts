/** What a person can limit an agent to on the consent page. */
import { expect, it } from 'vitest';
import { fillWithProfiles } from '../harness/profiles.ts';
import { startWorld } from '../harness/world.ts';
import { codeFor, openConsent, registered, signIn } from './agents.ts';

const world = await startWorld();

it('every profile that an account can have is offered, and an agent can be limited to the last one', async () => {
  const person = await signIn(world);
  const clientId = await registered(world);
  await fillWithProfiles(world, person.accountId, 999);
  const last = await world.profile('Zwelve Bells');

  const { text } = await openConsent(person.browser, { clientId });
  await codeFor(person, { clientId }, last.id);

  expect(text.match(/<option value="[^"]*">Only the profile /g)).toHaveLength(1_000);
  expect(await world.sql('select profile_id from oauth_grants')).toEqual([{ profile_id: last.id }]);
});
