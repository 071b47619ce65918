/** An agent of a profile that loses its access at the moment at which the profile is deleted. */
import { expect, it } from 'vitest';
import { revokeGrant } from '../../services/oauth/revoke-grant.ts';
import { holdRows } from '../harness/hold-rows.ts';
import { OWNER_ENV } from '../harness/owner.ts';
import { startWorld } from '../harness/world.ts';
import { signIn, tokensFor } from './agents.ts';

const world = await startWorld({ env: OWNER_ENV });

// It needs a second connection to the database.
it.skipIf(world.db.engine !== 'postgres')('both are answered when the agent has created a key', async () => {
  const profile = await world.profile();
  await tokensFor(world, await signIn(world), { reach: profile.id });
  const [grant] = await world.sql<{ id: string }>('select id from oauth_grants where profile_id = $1', [profile.id]);
  const { id: keyId } = await world.key({ profileId: profile.id });
  await world.sql('update api_keys set grant_id = $2 where id = $1', [keyId, grant?.id]);
  const held = await holdRows(world, 'select id from api_keys where id = $1 for update', [keyId]);
  const deleting = world.rest(`DELETE /profiles/${profile.id}`);
  await held.waiting(1);
  const revoking = revokeGrant(world.context, grant?.id ?? '', { cause: 'returned', requestId: 'revocation' });
  await held.waiting(2, revoking);

  await held.release();

  expect([(await deleting).status, await revoking]).toEqual([200, false]);
});
