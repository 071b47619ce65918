/** A key whose posts need approval or follow a policy changes no setting that changes what goes out (docs/contract/approvals.md#what-waits). */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { refusal } from '../../harness/expected.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

const REFUSED = refusal(
  'forbidden',
  'Posts of this key or agent need approval or follow a policy, and this operation would change what goes out in another way. Ask an owner of the account.',
);

async function tenant() {
  const { key, connection, id: accountId } = await accountWithSandbox(world);
  const [asking, ruled] = [await world.key({ accountId, approval: 'required' }), await world.key({ accountId })];
  await world.rest(`PUT /policies/${ruled.id}`, { key, body: { postsPerDay: 5 } });
  return { accountId, key, connection, supervised: [asking.secret, ruled.secret] };
}

describe('a supervised key', () => {
  it.each([{ rewriteDefault: true }, { xSpendCapCents: null }, { xAnalytics: true }])(
    'does not change the account by %j',
    async (body) => {
      const { key, supervised } = await tenant();
      await world.rest('PATCH /account', { key, body: { xSpendCapCents: 500 } });
      const { body: before } = await world.rest('GET /account', { key });

      for (const secret of supervised) {
        const answer = await world.rest('PATCH /account', { key: secret, body });
        expect([answer.status, answer.body]).toEqual([403, REFUSED]);
      }

      expect((await world.rest('GET /account', { key })).body).toEqual(before);
    },
  );

  it('moves no connection to a profile, whose brand voice its posts would follow', async () => {
    const { accountId, key, connection, supervised } = await tenant();
    const { id: profileId } = await world.profile('Customer', accountId);

    for (const secret of supervised) {
      const answer = await world.rest(`PATCH /connections/${connection.id}`, { key: secret, body: { profileId } });
      expect([answer.status, answer.body]).toEqual([403, REFUSED]);
    }

    const { body } = await world.rest('GET /connections', { key });
    expect(body.connections).toMatchObject([{ id: connection.id, profileId: null }]);
  });
});
