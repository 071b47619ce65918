/** Profiles for tests. */
import type { World } from './world.ts';

export interface TestProfile {
  readonly id: string;
  readonly name: string;
  readonly externalId: string | null;
  readonly createdAt: string;
}

/** Creates a profile over the API. */
export async function createProfile(
  world: World,
  key: string,
  fields: { name?: string; externalId?: string } = {},
): Promise<TestProfile> {
  const { status, body } = await world.rest('POST /profiles', { key, body: { name: 'Acme', ...fields } });
  if (status !== 200) throw new Error(`the profile was not made: ${JSON.stringify(body)}`);
  return body.profile;
}

/** Fills an account with profiles directly in the database. */
export async function fillWithProfiles(world: World, accountId: string, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => world.context.random.uuid());
  await world.sql(
    `insert into profiles (id, account_id, name, created_at) select unnest($1::uuid[]), $2, 'Filler', $3`,
    [ids, accountId, world.clock.now()],
  );
}
