/** A policy outlives the connections that it names (docs/contract/policies.md#disconnected-connections). */
import { expect, it } from 'vitest';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** A key whose policy allows a connection that was disconnected since, and one that is still connected. */
async function withDisconnected() {
  const { key, connection, id: accountId } = await accountWithSandbox(world);
  const gone = await connectSandbox(world, { key, slug: 'gone' });
  await connectSandbox(world, { key, slug: 'other' });
  const agent = await world.key({ accountId });
  const call = (method: string, body?: object, policyId = agent.id) =>
    world.rest(`${method} /policies/${policyId}`, { key, ...(body !== undefined && { body }) });
  await call('PUT', { connectionIds: [connection.id, gone.id] });
  await world.rest(`DELETE /connections/${gone.id}`, { key });
  return { key, agent, connection, gone, call, accountId };
}

it('keeps a connection that was disconnected since when its other rules are changed and tried', async () => {
  const { agent, connection, gone, call, key } = await withDisconnected();
  const rules = { connectionIds: [connection.id, gone.id], postsPerDay: 5 };

  const saved = await call('PUT', rules);

  expect([saved.status, saved.body.policy.rules.connectionIds]).toEqual([200, [connection.id, gone.id]]);
  const tried = await world.rest(`POST /policies/${agent.id}/try`, { key, body: rules });
  expect([tried.status, tried.body]).toEqual([200, { posts: 0, stopped: [] }]);
  const [refused] = (
    await world.rest('POST /posts', { key: agent.secret, body: { text: 'Ding', connectionSlugs: ['other'] } })
  ).body.results;
  expect(refused.error.code).toBe('policy_refused');
});

it('names the connections of a policy that were disconnected since', async () => {
  const { agent, gone, call, key } = await withDisconnected();

  const read = await call('GET');

  expect(read.body.policy.disconnected).toEqual([{ id: gone.id, slug: 'gone' }]);
  const listed = await world.rest('GET /policies', { key });
  expect(listed.body.policies).toMatchObject([{ policyId: agent.id, disconnected: [{ id: gone.id, slug: 'gone' }] }]);
});

it('takes no disconnected connection that the policy does not name already', async () => {
  const { accountId, gone, call } = await withDisconnected();
  const other = await world.key({ accountId });

  const { status, body } = await call('PUT', { connectionIds: [gone.id] }, other.id);

  expect([status, body.message]).toEqual([400, `connectionIds: no connection of yours has the id ${gone.id}.`]);
});
