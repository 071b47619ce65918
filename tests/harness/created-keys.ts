/** Keys that other keys create, for tests of what a key shares with those that it has created. */
import type { World } from './world.ts';

export interface CreatedKey {
  readonly id: string;
  readonly secret: string;
}

/** Creates a live key of a profile with the key `by`. */
export async function createKey(world: World, by: CreatedKey, profileId: string): Promise<CreatedKey> {
  const { status, body } = await world.rest(`POST /profiles/${profileId}/keys`, {
    key: by.secret,
    body: { name: 'Created', type: 'live' },
  });
  if (status !== 201) throw new Error(`the key was not created: ${JSON.stringify(body)}`);
  return { id: body.key.id, secret: body.secret };
}

/** Puts a key under another one. Over the API only keys of the whole account create keys, so trees have two levels. */
export async function putUnder(world: World, key: CreatedKey, creator: CreatedKey): Promise<void> {
  await world.sql('update api_keys set created_by_key_id = $2 where id = $1', [key.id, creator.id]);
}
