/** A test key reaches the policies of test keys and of agents in test mode only (docs/contract/policies.md#who-decides). */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox, storeBluesky } from '../../harness/connections.ts';
import { startWorld } from '../../harness/world.ts';
import { signIn, tokensFor } from '../../oauth/agents.ts';

const world = await startWorld();

async function tenant() {
  const { key, connection, id: accountId } = await accountWithSandbox(world);
  const test = await world.key({ accountId, type: 'test' });
  const grant = async (reach: string): Promise<string> => {
    const { clientId } = await tokensFor(world, await signIn(world, accountId), { reach });
    const [row] = await world.sql<{ id: string }>('select id from oauth_grants where client_id = $1', [clientId]);
    return row?.id ?? '';
  };
  return {
    accountId,
    connection,
    live: key,
    test: test.secret,
    grant,
    keyOf: async (type: 'live' | 'test') => (await world.key({ accountId, type })).id,
    call: (method: string, path: string, by: string, body?: object) =>
      world.rest(`${method} /policies${path}`, { key: by, ...(body !== undefined && { body }) }),
  };
}

const refusal = (answer: { status: number; body: { error: string; message: string } }) => [
  answer.status,
  answer.body.error,
  answer.body.message,
];

describe.each(['key', 'agent'])('the policy of a live %s', (kind) => {
  it('is for a test key like one that does not exist', async () => {
    const { live, test, keyOf, grant, call } = await tenant();
    const id = kind === 'key' ? await keyOf('live') : await grant('account');
    await call('PUT', `/${id}`, live, { postsPerDay: 3 });
    const before = (await call('GET', `/${id}`, live)).body;

    const answers = [
      await call('GET', `/${id}`, test),
      await call('PUT', `/${id}`, test, { postsPerDay: 9 }),
      await call('POST', `/${id}/try`, test, { postsPerDay: 9 }),
      await call('DELETE', `/${id}`, test),
    ];

    const none = [404, 'not_found', `No key or agent of yours with the id ${id} has a policy.`];
    const noTarget = [404, 'not_found', `No key and no grant of yours that is in force has the id ${id}.`];
    expect(answers.map(refusal)).toEqual([none, noTarget, noTarget, none]);
    expect((await call('GET', '', test)).body.policies).toEqual([]);
    expect((await call('GET', `/${id}`, live)).body).toEqual(before);
  });

  it('is not set by a test key where there is none', async () => {
    const { live, test, keyOf, grant, call } = await tenant();
    const id = kind === 'key' ? await keyOf('live') : await grant('account');

    const { status } = await call('PUT', `/${id}`, test, { postsPerDay: 9 });

    expect([status, (await call('GET', '', live)).body.policies]).toEqual([404, []]);
  });
});

it.each(['key', 'agent'])('a test key sets, reads, tries and removes the policy of a test %s', async (kind) => {
  const { live, test, keyOf, grant, call } = await tenant();
  const id = kind === 'key' ? await keyOf('test') : await grant('test');

  const set = await call('PUT', `/${id}`, test, { postsPerDay: 3 });
  const read = await call('GET', `/${id}`, test);
  const listed = await call('GET', '', test);
  const tried = await call('POST', `/${id}/try`, test, { postsPerDay: 1 });
  const removed = await call('DELETE', `/${id}`, test);

  expect([set, read, listed, tried, removed].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(listed.body.policies).toEqual([set.body.policy]);
  expect(read.body.policy).toEqual(set.body.policy);
  expect((await call('GET', '', live)).body.policies).toEqual([]);
});

it('a test key that follows the policy of its live creator sees that policy', async () => {
  const { accountId, live, call } = await tenant();
  const { id: profileId } = await world.profile('Customer', accountId);
  const creator = await world.key({ accountId });
  const { body } = await world.rest(`POST /profiles/${profileId}/keys`, {
    key: creator.secret,
    body: { name: 'Created', type: 'test' },
  });
  await call('PUT', `/${creator.id}`, live, { postsPerDay: 3 });

  const { policies } = (await call('GET', '', body.secret)).body;

  expect(policies).toEqual((await call('GET', '', live)).body.policies);
});

it('a test key limits a policy to sandboxes only', async () => {
  const { accountId, connection, test, keyOf, call } = await tenant();
  const { id: real } = await storeBluesky(world, accountId);
  const id = await keyOf('test');

  const refused = await call('PUT', `/${id}`, test, { connectionIds: [connection.id, real] });
  const set = await call('PUT', `/${id}`, test, { connectionIds: [connection.id] });

  expect(refusal(refused)).toEqual([
    400,
    'invalid_request',
    `connectionIds: no connection of yours has the id ${real}.`,
  ]);
  expect([set.status, set.body.policy.rules.connectionIds]).toEqual([200, [connection.id]]);
});
