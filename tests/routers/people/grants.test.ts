/** people.listGrants and people.revokeGrant: what agents may do, for the people of an account. */
import { describe, expect, it } from 'vitest';
import { consoleCalls } from '../../harness/console-calls.ts';
import { UNKNOWN_ID, UUID } from '../../harness/expected.ts';
import { PUBLIC_URL, startWorld } from '../../harness/world.ts';
import { callTool, signIn, tokensFor } from '../../oauth/agents.ts';

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
});

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
