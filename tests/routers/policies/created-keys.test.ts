/** Which policy binds the keys that a key or an agent has created (docs/contract/policies.md). */
import { describe, expect, it } from 'vitest';
import { type CreatedKey, putUnder, refusedPost, tenantWithCreatedKey } from '../../harness/created-keys.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { startWorld } from '../../harness/world.ts';
import { callMcp, signIn, tokensFor } from '../../oauth/agents.ts';

const world = await startWorld();
const iso = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString();

const BLUESKY = { platforms: ['bluesky'] };

async function tenant() {
  const made = await tenantWithCreatedKey(world);
  const { key } = made;
  return {
    ...made,
    set: async (policyId: string, rules: object = {}) => {
      const { status, body } = await world.rest(`PUT /policies/${policyId}`, { key, body: rules });
      if (status !== 200) throw new Error(JSON.stringify(body));
    },
    remove: async (policyId: string) => {
      const { body } = await world.rest(`DELETE /policies/${policyId}`, { key });
      expect(body).toEqual({ policyId, removed: true });
    },
    /** The ids of the policies that these keys follow. */
    followed: async (...keys: readonly CreatedKey[]): Promise<(string | null)[]> => {
      const { body } = await world.rest('GET /keys?limit=100&includeRevoked=true', { key });
      const policyOf = new Map(body.keys.map((one: { id: string; policyId: string | null }) => [one.id, one.policyId]));
      return keys.map(({ id }) => policyOf.get(id) as string | null);
    },
  };
}

type Tenant = Awaited<ReturnType<typeof tenant>>;

const refused = (message: string) => refusedPost({ code: 'policy_refused', message });

const ONLY_BLUESKY = refused('Policy of this key, platforms: It allows bluesky, and not sandbox.');

describe('the own policy of a created key', () => {
  it('stays when that of its creator is set again', async () => {
    const { creator, created, set, post, followed } = await tenant();
    await set(creator.id);
    await set(created.id, BLUESKY);

    await set(creator.id, { postsPerDay: 5 });

    expect(await post(created)).toEqual(ONLY_BLUESKY);
    expect(await followed(creator, created)).toEqual([creator.id, created.id]);
  });

  it('stays when its creator gets a policy later, and loses it again', async () => {
    const { creator, created, set, remove, followed } = await tenant();
    await set(created.id, BLUESKY);

    await set(creator.id);
    expect(await followed(creator, created)).toEqual([creator.id, created.id]);

    await remove(creator.id);
    expect(await followed(creator, created)).toEqual([null, created.id]);
  });

  it('binds the keys under it too, also when that of the creator is set again', async () => {
    const { creator, created, create, set, followed } = await tenant();
    const deepest = await create();
    await putUnder(world, deepest, created);
    await set(creator.id);
    await set(created.id, BLUESKY);

    await set(creator.id, { postsPerDay: 5 });

    expect(await followed(creator, created, deepest)).toEqual([creator.id, created.id, created.id]);
  });

  it('keeps its posts out of the count of its creator, and out of the trial of rules', async () => {
    const { key, creator, created, set, post } = await tenant();
    await set(created.id);
    await set(creator.id, { postsPerDay: 1 });
    await post(created);

    const trial = await world.rest(`POST /policies/${creator.id}/try`, { key, body: BLUESKY });

    expect([trial.status, trial.body]).toEqual([200, { posts: 0, stopped: [] }]);
    const { policy } = (await world.rest(`GET /policies/${creator.id}`, { key })).body;
    expect([policy.postsLastHour, policy.postsLastDay]).toEqual([0, 0]);
  });
});

describe('a created key whose own policy is removed', () => {
  it('follows that of its creator again, whose posts count together', async () => {
    const { key, creator, created, set, remove, post } = await tenant();
    await set(creator.id, { postsPerDay: 1 });
    await set(created.id);

    await remove(created.id);

    const results = [await post(created), await post(created)];
    expect(results).toEqual([
      expect.objectContaining({ status: 'sent', error: null }),
      refused(
        `Policy of this key, postsPerDay: It allows 1 post in any 24 hours, and no more at ${iso(0)}. Try again from ${iso(86_400_000)}.`,
      ),
    ]);
    const { policies } = (await world.rest('GET /policies', { key })).body;
    expect(policies).toMatchObject([{ policyId: creator.id, postsLastHour: 1, postsLastDay: 1 }]);
  });

  it('follows the nearest policy above it, and so do the keys under it without their own', async () => {
    const { creator, created, create, set, remove, followed } = await tenant();
    const [deeper, deepest] = [await create(), await create()];
    await putUnder(world, deeper, created);
    await putUnder(world, deepest, deeper);
    for (const { id } of [creator, created, deeper]) await set(id);

    await remove(deeper.id);
    expect(await followed(created, deeper, deepest)).toEqual([created.id, created.id, created.id]);

    await set(deepest.id);
    await remove(created.id);
    expect(await followed(created, deeper, deepest)).toEqual([creator.id, creator.id, deepest.id]);

    await remove(creator.id);
    expect(await followed(creator, created, deeper, deepest)).toEqual([null, null, null, deepest.id]);
  });

  it('follows none when its creator has none', async () => {
    const { creator, created, set, remove, followed } = await tenant();
    await set(created.id);

    await remove(created.id);

    expect(await followed(creator, created)).toEqual([null, null]);
  });

  it('follows that of a revoked creator, which can be read, changed and tried for as long', async () => {
    const { key, creator, created, set, post, followed } = await tenant();
    await set(creator.id, BLUESKY);
    await world.rest(`DELETE /keys/${creator.id}`, { key });
    const listed = async (secret: string) =>
      (await world.rest('GET /policies', { key: secret })).body.policies.map(
        ({ policyId }: { policyId: string }) => policyId,
      );

    expect([await listed(key), await listed(created.secret)]).toEqual([[creator.id], [creator.id]]);
    const { body } = await world.rest(`GET /policies/${creator.id}`, { key });
    expect(body.policy).toMatchObject({ policyId: creator.id, rules: { platforms: ['bluesky'] } });
    expect((await world.rest(`POST /policies/${creator.id}/try`, { key, body: BLUESKY })).status).toBe(200);
    expect(await post(created)).toEqual(ONLY_BLUESKY);
    await set(creator.id);
    expect((await post(created)).status).toBe('sent');
    expect(await followed(created)).toEqual([creator.id]);

    await world.rest(`DELETE /keys/${created.id}`, { key });

    expect(await listed(key)).toEqual([]);
    expect((await world.rest(`GET /policies/${creator.id}`, { key })).status).toBe(404);
    expect((await world.rest(`PUT /policies/${creator.id}`, { key, body: {} })).status).toBe(404);
  });

  it('follows that of its creator also after the creator was revoked', async () => {
    const { key, creator, created, set, remove, post } = await tenant();
    await set(creator.id, BLUESKY);
    await set(created.id);
    await world.rest(`DELETE /keys/${creator.id}`, { key });

    await remove(created.id);

    expect(await post(created)).toEqual(ONLY_BLUESKY);
  });
});

it('a key follows what its creator follows when it is created', async () => {
  const { creator, created, create, set, remove, followed } = await tenant();
  await set(creator.id);
  await set(created.id);
  await remove(created.id);

  const later = await create();

  expect(await followed(created, later)).toEqual([creator.id, creator.id]);
});

it('the own policy of a key that an agent created takes the place of that of the agent, which binds again after it', async () => {
  const { accountId, profileId, set, remove, post, followed } = await tenant();
  const scope = 'keys:write posts:read posts:write';
  const { access, clientId } = await tokensFor(world, await signIn(world, accountId), { scope });
  const params = { name: 'mint_key', arguments: { profileId, name: 'Of an agent', type: 'live' } };
  const { body } = await callMcp(world, access, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, '/mcp/x/keys');
  const { key, secret } = body.result.structuredContent;
  const created = { id: key.id, secret };
  const [grant] = await world.sql<{ id: string }>('select id from oauth_grants where client_id = $1', [clientId]);
  const grantId = grant?.id ?? '';
  await set(grantId);
  await set(created.id, BLUESKY);

  await set(grantId, { platforms: ['x'] });
  expect(await post(created)).toEqual(ONLY_BLUESKY);

  await remove(created.id);
  expect(await post(created)).toEqual(refused('Policy of this agent, platforms: It allows x, and not sandbox.'));

  await remove(grantId);
  expect(await followed(created)).toEqual([null]);
});

// These tests need a second connection to the database.
describe.skipIf(world.db.engine !== 'postgres')('a post of a created key whose own policy is removed meanwhile', () => {
  /** The result of the post; its creator has a policy with these rules. */
  async function postMeanwhile({ creator, created, set, remove, post }: Tenant, rules: object) {
    await set(creator.id, rules);
    await set(created.id);
    const held = await holdRows(world, 'select id from policies where id = $1 for update', [created.id]);
    const removing = remove(created.id);
    await held.waiting(1, removing);
    const posting = post(created);
    await held.waiting(2, posting);
    await held.release();
    await removing;
    return posting;
  }

  it('is checked by that of its creator', async () => {
    expect(await postMeanwhile(await tenant(), BLUESKY)).toEqual(ONLY_BLUESKY);
  });

  it('counts toward the limits of that of its creator', async () => {
    const the = await tenant();
    expect(await postMeanwhile(the, { postsPerDay: 1 })).toMatchObject({ status: 'sent', error: null });

    const { error } = await the.post(the.creator);

    expect(error).toMatchObject({ code: 'policy_refused' });
  });
});

describe.skipIf(world.db.engine !== 'postgres')(
  'policies of a key and its creator that change at the same moment',
  () => {
    it('both bind: a created key keeps the one that it gets', async () => {
      const { creator, created, set, followed } = await tenant();
      const held = await holdRows(world, 'select id from api_keys where id = $1 for update', [created.id]);
      const own = set(created.id, BLUESKY);
      await held.waiting(1);
      const ofCreator = set(creator.id);
      await held.waiting(2);

      await held.release();
      await Promise.all([own, ofCreator]);

      expect(await followed(creator, created)).toEqual([creator.id, created.id]);
    });

    it('both bind: a created key that loses its own follows the one that its creator gets', async () => {
      const { creator, created, set, remove, followed } = await tenant();
      await set(created.id, BLUESKY);
      const held = await holdRows(world, 'select id from api_keys where id = $1 for update', [created.id]);
      const removing = remove(created.id);
      await held.waiting(1);
      const setting = set(creator.id);
      // It waits for the removal, or has ended, if nothing keeps them apart.
      await Promise.race([held.waiting(2), setting]);

      await held.release();
      await Promise.all([removing, setting]);

      expect(await followed(creator, created)).toEqual([creator.id, creator.id]);
    });
  },
);
