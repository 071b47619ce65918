/** A test key stops and releases only what goes out in test mode (docs/contract/stops.md#who-stops). */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { startWorld } from '../../harness/world.ts';
import { signIn, tokensFor } from '../../oauth/agents.ts';

const world = await startWorld();

async function tenant() {
  const { key: live, id: accountId } = await accountWithSandbox(world);
  const { secret: test } = await world.key({ accountId, type: 'test' });
  const { id: profileId } = await world.profile('Customer', accountId);
  const grantId = async (reach: string): Promise<string> => {
    const { clientId } = await tokensFor(world, await signIn(world, accountId), { reach });
    const [row] = await world.sql<{ id: string }>('select id from oauth_grants where client_id = $1', [clientId]);
    return row?.id ?? '';
  };
  return {
    live,
    test,
    profileId,
    grantId,
    keyOf: (type: 'live' | 'test') => world.key({ accountId, type }),
    post: async (by: string) =>
      (await world.rest('POST /posts', { key: by, body: { text: 'Ding', connectionSlugs: ['sandbox'] } })).body
        .results[0].status,
    stop: (body: object, by: string) => world.rest('POST /stops', { key: by, body }),
    release: (stopId: string, by: string) =>
      world.rest(`POST /stops/${stopId}/release`, { key: by, body: { posts: 'send' } }),
    listed: async (by: string) => (await world.rest('GET /stops', { key: by })).body.stops,
  };
}

const refusal = (answer: { status: number; body: { error: string; message: string } }) => [
  answer.status,
  answer.body.error,
  answer.body.message,
];

const beyond = (what: string) => [
  403,
  'forbidden',
  `A stop of ${what} holds live posts too, so a key or access token in test mode neither starts nor releases it. Use a live one, or stop a test key or an agent in test mode.`,
];

describe('a test key', () => {
  it('stops neither the account nor a profile', async () => {
    const { live, test, profileId, post, stop, listed } = await tenant();

    const answers = [await stop({}, test), await stop({ profileId }, test)];

    expect(answers.map(refusal)).toEqual([beyond('the account'), beyond('a profile')]);
    expect([await listed(live), await post(live)]).toEqual([[], 'sent']);
  });

  it('finds no live key and no live agent to stop', async () => {
    const { live, test, keyOf, grantId, post, stop, listed } = await tenant();
    const [key, agent] = [await keyOf('live'), await grantId('account')];

    const answers = [await stop({ keyId: key.id }, test), await stop({ grantId: agent }, test)];

    expect(answers.map(refusal)).toEqual([
      [404, 'not_found', `No key of yours has the id ${key.id}.`],
      [404, 'not_found', `No grant of yours has the id ${agent}.`],
    ]);
    expect([await listed(live), await post(key.secret)]).toEqual([[], 'sent']);
  });

  it('sees the stops of the account and of profiles, and releases neither', async () => {
    const { live, test, profileId, stop, release, listed } = await tenant();
    const [ofAccount, ofProfile] = [(await stop({}, live)).body.stop, (await stop({ profileId }, live)).body.stop];

    const answers = [await release(ofAccount.id, test), await release(ofProfile.id, test)];

    expect(answers.map(refusal)).toEqual([beyond('the account'), beyond('a profile')]);
    expect(await listed(test)).toEqual([ofProfile, ofAccount]);
    expect(await listed(live)).toEqual([ofProfile, ofAccount]);
  });

  it('neither sees nor releases the stop of a live key or agent', async () => {
    const { live, test, keyOf, grantId, post, stop, release, listed } = await tenant();
    const key = await keyOf('live');
    const stops = [
      (await stop({ keyId: key.id }, live)).body.stop,
      (await stop({ grantId: await grantId('account') }, live)).body.stop,
    ];

    const answers = [await release(stops[0].id, test), await release(stops[1].id, test)];

    expect(answers.map(refusal)).toEqual(
      stops.map(({ id }) => [404, 'not_found', `No stop of yours has the id ${id}.`]),
    );
    expect([await listed(test), await listed(live)]).toEqual([[], stops.toReversed()]);
    expect(await post(key.secret)).toBe('failed');
  });

  it('stops and releases a test key', async () => {
    const { live, test, keyOf, post, stop, release, listed } = await tenant();
    const key = await keyOf('test');

    const started = await stop({ keyId: key.id }, test);
    const stopped = await post(key.secret);
    const released = await release(started.body.stop.id, test);

    expect([started.status, stopped, released.status, await post(key.secret)]).toEqual([201, 'failed', 200, 'sent']);
    expect(await listed(live)).toEqual([]);
  });

  it('stops and releases an agent in test mode', async () => {
    const { test, grantId, stop, release, listed } = await tenant();

    const started = await stop({ grantId: await grantId('test') }, test);
    const during = await listed(test);
    const released = await release(started.body.stop.id, test);

    expect([started.status, during, released.status]).toEqual([201, [started.body.stop], 200]);
  });
});
