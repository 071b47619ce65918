/**
 * An agent that is allowed again follows the policy that it had (docs/contract/policies.md#agents-that-are-allowed-again), because
 * every person may allow an agent, and only owners decide about policies.
 */
import { describe, expect, it } from 'vitest';
import { refusedPost, tenantWithCreatedKey } from '../../harness/created-keys.ts';
import { consoleCalls } from '../../harness/console-calls.ts';
import { refusal, UUID } from '../../harness/expected.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { OWNER_ENV } from '../../harness/owner.ts';
import { startWorld } from '../../harness/world.ts';
import { callTool, type Person, postForm, signIn, tokensFor } from '../../oauth/agents.ts';
import { personOf } from '../../oauth/people.ts';

const world = await startWorld({ env: OWNER_ENV });
const isPostgres = world.db.engine === 'postgres';

const SCOPE = 'posts:read posts:write';
const ONLY_BLUESKY = refusedPost({
  code: 'policy_refused',
  message: 'Policy of this agent, platforms: It allows bluesky, and not sandbox.',
});

interface Policy {
  readonly policyId: string;
  readonly rules: { readonly platforms: string[] | null; readonly postsPerDay: number | null };
}

async function tenant() {
  const { key, accountId, profileId } = await tenantWithCreatedKey(world);
  const policies = async (): Promise<Policy[]> => (await world.rest('GET /policies', { key })).body.policies;
  return {
    key,
    accountId,
    person: (role: 'owner' | 'editor' = 'editor') => signIn(world, accountId, role),
    set: async (policyId: string, rules: object) => {
      expect((await world.rest(`PUT /policies/${policyId}`, { key, body: rules })).status).toBe(200);
    },
    remove: async (policyId: string) => {
      expect((await world.rest(`DELETE /policies/${policyId}`, { key })).status).toBe(200);
    },
    policies,
    policyOf: async (id: string) => (await policies()).find(({ policyId }) => policyId === id),
    /** Allows an agent, as a new client if none is given. */
    allow: async (person: Person, fields: { readonly clientId?: string; readonly reach?: string } = {}) => {
      const tokens = await tokensFor(world, person, { scope: SCOPE, ...fields });
      const [grant] = await world.sql<{ id: string }>(
        'select id from oauth_grants where client_id = $1 order by id desc limit 1',
        [tokens.clientId],
      );
      const input = { text: 'Ding', connectionSlugs: ['shop'], profileId };
      const post = async () =>
        (await callTool(world, tokens.access, 'create_post', input)).body.result.structuredContent.results[0];
      return { ...tokens, id: grant?.id ?? '', post };
    },
  };
}

describe('an agent that is allowed again', () => {
  it('follows the policy that it had, also when an editor allows it, until an owner removes that', async () => {
    const { allow, person, set, remove, policies } = await tenant();
    const { id, clientId, post: earlier } = await allow(await person('owner'));
    await set(id, { platforms: ['bluesky'] });
    const [policy] = await policies();

    const again = await allow(await person(), { clientId });

    expect([await earlier(), await again.post()]).toEqual([ONLY_BLUESKY, ONLY_BLUESKY]);
    expect(await policies()).toEqual([{ ...policy, policyId: again.id }, policy]);
    await remove(again.id);
    expect([(await earlier()).error?.code, (await again.post()).status]).toEqual(['policy_refused', 'sent']);
    expect(await policies()).toEqual([policy]);
  });

  it.each<[string, (made: { person: Person; id: string; clientId: string; refresh: string }) => Promise<unknown>]>([
    [
      'the person who allowed it has revoked it',
      async ({ person, id }) => {
        const call = await consoleCalls(world, person.browser);
        expect((await call('people.revokeGrant', { grantId: id })).status).toBe(200);
      },
    ],
    [
      'it has returned its access',
      async ({ clientId, refresh }) => {
        expect((await postForm(world, '/oauth/revoke', { client_id: clientId, token: refresh })).status).toBe(200);
      },
    ],
  ])('follows it also when %s', async (_name, end) => {
    const { allow, person, set } = await tenant();
    const editor = await person();
    const { id, clientId, refresh } = await allow(editor);
    await set(id, { platforms: ['bluesky'] });
    await end({ person: editor, id, clientId, refresh });

    const again = await allow(editor, { clientId });

    expect(await again.post()).toEqual(ONLY_BLUESKY);
  });

  it('follows that of the same person before those of others, and of others the newest', async () => {
    const { allow, person, set, policyOf } = await tenant();
    const [own, other, third] = [await person(), await person('owner'), await person()];
    const first = await allow(own);
    const { clientId } = first;
    await set(first.id, { postsPerDay: 1 });
    await set((await allow(other, { clientId })).id, { postsPerDay: 2 });
    const latest = await allow(other, { clientId });
    await set(latest.id, { postsPerDay: 3 });

    const [byThird, byOwn] = [await allow(third, { clientId }), await allow(own, { clientId })];

    expect([await policyOf(byThird.id), await policyOf(byOwn.id)]).toMatchObject([
      { rules: { postsPerDay: 3 } },
      { rules: { postsPerDay: 1 } },
    ]);
  });

  it('has none as another client, in another account or another mode, or once it was removed', async () => {
    const [own, foreign] = [await tenant(), await tenant()];
    const owner = await own.person('owner');
    const { id, clientId } = await own.allow(owner);
    await own.set(id, { platforms: ['bluesky'] });

    const others = [
      await own.allow(owner),
      await own.allow(owner, { clientId, reach: 'test' }),
      await foreign.allow(await foreign.person('owner'), { clientId }),
    ];
    await own.remove(id);
    const again = await own.allow(owner, { clientId });

    const ids = [...others, again].map((one) => one.id);
    expect(await world.sql('select policy_id from oauth_grants where id = any($1::uuid[])', [ids])).toEqual(
      ids.map(() => ({ policy_id: null })),
    );
    expect((await again.post()).status).toBe('sent');
  });

  it('in test mode follows the policy that it has there, which a test key may have set', async () => {
    const { allow, person, accountId, policyOf } = await tenant();
    const owner = await person('owner');
    const { id, clientId } = await allow(owner, { reach: 'test' });
    const { secret: key } = await world.key({ accountId, type: 'test' });
    expect((await world.rest(`PUT /policies/${id}`, { key, body: { postsPerDay: 7 } })).status).toBe(200);

    const [test, live] = [await allow(owner, { clientId, reach: 'test' }), await allow(owner, { clientId })];

    expect([await policyOf(test.id), await policyOf(live.id)]).toMatchObject([
      { rules: { postsPerDay: 7 } },
      undefined,
    ]);
  });

  it('has an entry in the audit for the policy, by the person who allowed it', async () => {
    const { allow, person, set, key } = await tenant();
    const { id, clientId } = await allow(await person('owner'));
    await set(id, { postsPerDay: 5 });
    const editor = await person();

    const again = await allow(editor, { clientId });

    const { body } = await world.rest(`GET /audit?objectId=${again.id}`, { key });
    const entry = {
      id: UUID,
      at: world.clock.now().toISOString(),
      actor: { kind: 'person', id: editor.ownerId, name: `${editor.ownerId}@example.com` },
      surface: 'oauth',
      outcome: 'ok',
      mode: 'live',
      profileId: null,
      requestId: UUID,
    };
    expect(body.entries).toEqual([
      { ...entry, operation: 'oauth.keepPolicy', object: { type: 'policy', ids: [again.id] } },
      { ...entry, operation: 'oauth.grant', object: { type: 'oauth_grant', ids: [again.id] } },
    ]);
  });
});

describe('the posts of a policy and its copies', () => {
  const FULL = /^Policy of this agent, postsPerDay: It allows 2 posts in any 24 hours, and no more at /;

  it('count together toward the limits of each', async () => {
    const { allow, person, set, remove, policyOf } = await tenant();
    const [owner, editor] = [await person('owner'), await person()];
    const first = await allow(owner);
    await set(first.id, { postsPerDay: 2 });
    expect((await first.post()).status).toBe('sent');
    const { clientId } = first;
    const second = await allow(editor, { clientId });
    expect((await second.post()).status).toBe('sent');
    const third = await allow(await person(), { clientId });

    const refused = [await first.post(), await second.post(), await third.post()];

    expect(refused.map(({ error }) => error.message)).toEqual(refused.map(() => expect.stringMatching(FULL)));
    for (const { id } of [first, second, third]) {
      expect(await policyOf(id)).toMatchObject({ postsLastHour: 2, postsLastDay: 2 });
    }
    // Rules that are set on one stay in the count, until the policy is removed.
    await set(second.id, { postsPerDay: 2 });
    expect((await second.post()).error.message).toMatch(FULL);
    await remove(second.id);
    await set(second.id, { postsPerDay: 2 });
    expect(await policyOf(second.id)).toMatchObject({ postsLastDay: 1 });
    expect((await second.post()).status).toBe('sent');
  });

  it('count together also when the person of the first has left, with that policy', async () => {
    const { allow, person, set, accountId, policies } = await tenant();
    const [owner, leaving] = [await personOf(world, 'owner', accountId), await person()];
    const first = await allow(leaving);
    await set(first.id, { postsPerDay: 2 });
    expect([(await first.post()).status, (await first.post()).status]).toEqual(['sent', 'sent']);
    const again = await allow(await person(), { clientId: first.clientId });

    expect((await owner.call('people.remove', { personId: leaving.ownerId })).status).toBe(200);

    expect((await again.post()).error.message).toMatch(FULL);
    expect(await policies()).toMatchObject([{ policyId: again.id, postsLastDay: 2 }]);
  });

  it('get the last place once when several requests ask at the same moment', async () => {
    const { allow, person, set } = await tenant();
    const first = await allow(await person('owner'));
    await set(first.id, { postsPerDay: 2 });
    const agents = [first, await allow(await person(), { clientId: first.clientId })];
    agents.push(await allow(await person(), { clientId: first.clientId }));

    const results = await Promise.all([...agents, ...agents].map(({ post }) => post()));

    const refused = results.filter(({ status }) => status !== 'sent');
    expect(refused.map(({ error }) => error.message)).toEqual(Array(4).fill(expect.stringMatching(FULL)));
  });
});

describe('a policy that changes while an agent is allowed again', () => {
  it.skipIf(!isPostgres)('is followed as it is afterwards', async () => {
    const { allow, person, set, policyOf } = await tenant();
    const first = await allow(await person('owner'));
    await set(first.id, { postsPerDay: 1 });
    const held = await holdRows(world, 'select 1 from policies where id = $1 for no key update', [first.id]);
    const changed = set(first.id, { postsPerDay: 9 });
    await held.waiting(1, changed);
    const allowed = allow(await person(), { clientId: first.clientId });
    await held.waiting(2, allowed);
    await held.release();
    await changed;

    const { id } = await allowed;

    expect(await policyOf(id)).toMatchObject({ rules: { postsPerDay: 9 } });
  });

  it('is followed or gone when it is removed at the same moment, and both are answered', async () => {
    const { allow, person, set, remove, key } = await tenant();
    const first = await allow(await person('owner'));
    await set(first.id, { platforms: ['bluesky'] });
    const editor = await person();

    const [again] = await Promise.all([allow(editor, { clientId: first.clientId }), remove(first.id)]);

    const { status, body } = await world.rest(`GET /policies/${again.id}`, { key });
    const message = `No key or agent of yours with the id ${again.id} has a policy.`;
    if (status === 404) expect(body).toEqual(refusal('not_found', message));
    const result = await again.post();
    expect(status === 404 ? result.status : result).toEqual(status === 404 ? 'sent' : ONLY_BLUESKY);
  });
});
