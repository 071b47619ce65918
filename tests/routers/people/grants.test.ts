/** people.listGrants and people.revokeGrant: what agents may do, for the people of an account. */
import { describe, expect, it } from 'vitest';
import { consoleCalls } from '../../harness/console-calls.ts';
import { UNKNOWN_ID, UUID } from '../../harness/expected.ts';
import { PUBLIC_URL, startWorld } from '../../harness/world.ts';
import { callTool, type Person, signIn, tokensFor } from '../../oauth/agents.ts';

const world = await startWorld();

describe('people.listGrants', () => {
  it('gives an owner the grants of all people of the account, and says which are own', async () => {
    const profile = await world.profile('Bells');
    const [person, other] = [await signIn(world), await signIn(world)];
    await tokensFor(world, person, { reach: profile.id });
    const { access } = await tokensFor(world, other);
    await callTool(world, access, 'list_posts');

    const { status, body } = await (await consoleCalls(world, person.browser))('people.listGrants');

    const now = world.clock.now().toISOString();
    const grant = {
      id: UUID,
      clientName: 'Agent',
      redirectHost: 'agent.example',
      scopes: ['connections:read', 'posts:read'],
      mode: 'live',
      approval: 'none',
      policyId: null,
      createdAt: now,
    };
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        mcpUrl: `${PUBLIC_URL}/mcp`,
        nextCursor: null,
        grants: [
          { ...grant, profile: null, givenBy: `${other.ownerId}@example.com`, isOwn: false, lastUsedAt: now },
          {
            ...grant,
            profile: { id: profile.id, name: 'Bells' },
            givenBy: `${person.ownerId}@example.com`,
            isOwn: true,
            lastUsedAt: null,
          },
        ],
      },
    });
  });

  it('gives all of them, those that were used or given last first, a page at a time', async () => {
    const person = await signIn(world, undefined, 'editor');
    const { access, clientId } = await tokensFor(world, person);
    await addUnused(person, 230);
    world.clock.advance(120_000);
    await callTool(world, access, 'list_posts');
    const call = await consoleCalls(world, person.browser);

    const first = (await call('people.listGrants')).body;
    const second = (await call('people.listGrants', { cursor: first.nextCursor })).body;

    const ids = [...first.grants, ...second.grants].map(({ id }: { id: string }) => id);
    const [used] = await world.sql<{ id: string }>('select id from oauth_grants where client_id = $1', [clientId]);
    expect([first.grants.length, ids[0], new Set(ids).size, second.nextCursor]).toEqual([200, used?.id, 231, null]);
    expect((await call('people.revokeGrant', { grantId: ids.at(-1) })).status).toBe(200);
  });
});

/** Grants that the person gave after all others, and that were never used. */
async function addUnused({ ownerId, accountId }: Person, count: number) {
  await world.sql(
    `insert into oauth_grants (id, account_id, owner_id, client_id, client_name, redirect_host, scopes, mode, created_at)
    select gen_random_uuid(), $1, $2, 'unused', 'Unused', 'agent.example', '{posts:read}', 'live',
      $3::timestamptz + each * interval '1 millisecond'
    from generate_series(1, $4::int) each`,
    [accountId, ownerId, world.clock.now(), count],
  );
}

describe('people.revokeGrant', () => {
  it('ends the access at once; who is no owner ends only their own', async () => {
    const [person, other] = [await signIn(world), await signIn(world, undefined, 'editor')];
    const { access } = await tokensFor(world, person);
    const own = await consoleCalls(world, person.browser);
    const foreign = await consoleCalls(world, other.browser);
    const { body } = await own('people.listGrants');
    const grantId = body.grants.find(({ isOwn }: { isOwn: boolean }) => isOwn).id;

    expect((await foreign('people.listGrants')).body.grants).toEqual([]);
    expect((await foreign('people.revokeGrant', { grantId })).status).toBe(404);
    expect((await callTool(world, access, 'list_posts')).status).toBe(200);
    expect(await own('people.revokeGrant', { grantId })).toMatchObject({
      status: 200,
      body: { id: grantId, revoked: true },
    });
    expect((await callTool(world, access, 'list_posts')).status).toBe(401);
    expect((await own('people.revokeGrant', { grantId: UNKNOWN_ID })).status).toBe(404);
  });
});
