/** Keys that other keys create, for tests of what a key shares with those that it has created. */
import { accountWithSandbox, connectSandbox } from './connections.ts';
import type { World } from './world.ts';
import { NO_POST } from './expected.ts';

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

/** An account with a customer, the key of its owner, the key of an agent, and a key that the agent created for the customer. */
export async function tenantWithCreatedKey(world: World) {
  const { key, id: accountId } = await accountWithSandbox(world);
  const { id: profileId } = await world.profile('Customer', accountId);
  const { id: connectionId } = await connectSandbox(world, { key, slug: 'shop', profileId });
  const creator = await world.key({ accountId });
  const create = () => createKey(world, creator, profileId);
  const post = async ({ secret }: Pick<CreatedKey, 'secret'>, fields: object = {}) =>
    (await world.rest('POST /posts', { key: secret, body: { text: 'Ding', connectionSlugs: ['shop'], ...fields } }))
      .body.results[0];
  return { key, accountId, profileId, connectionId, creator, created: await create(), create, post };
}

/** The result of a post of such a key that stores nothing. */
export function refusedPost(error: { readonly code: string; readonly message: string }) {
  return {
    connectionSlug: 'shop',
    ...NO_POST,
    error,
  };
}
