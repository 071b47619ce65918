/** GET /events with the access token of an OAuth grant: its scope, its reach, and its end. */
import { beforeAll, describe, expect, it } from 'vitest';
import { makeAccount } from '../harness/accounts.ts';
import { connectSandbox } from '../harness/connections.ts';
import { consoleCalls } from '../harness/console-calls.ts';
import { listenTo } from '../harness/event-stream.ts';
import { makePost } from '../harness/posts.ts';
import { startWorld } from '../harness/world.ts';
import { claimsOf, type Person, postForm, refresh, signIn, type Tokens, tokensFor } from '../oauth/agents.ts';

const world = await startWorld();
let person: Person;
let profile: { id: string };
beforeAll(async () => {
  person = await signIn(world);
  profile = await world.profile('A');
  await connectSandbox(world, { key: world.liveKey, slug: 'bells', profileId: profile.id });
});

const tokens = (reach = 'account', scope = 'webhooks:read') => tokensFor(world, person, { scope, reach });

const revoke = ({ clientId, refresh: token }: Tokens) =>
  postForm(world, '/oauth/revoke', { client_id: clientId, token });

/** Calls GET /events with an access token. */
const streamWith = (token: string) =>
  world.rest('GET /events', { key: null, headers: { authorization: `Bearer ${token}` } });

const texts = async (stream: Awaited<ReturnType<typeof listenTo>>, count: number) =>
  (await stream.next(count)).map(({ data }) => JSON.parse(data ?? '').post.text);

describe('200', () => {
  it('streams what the grant reaches: the account, one profile, or test mode', async () => {
    const [account, one, test] = [await tokens(), await tokens(profile.id), await tokens('test')];
    const stranger = await signIn(world, (await makeAccount(world)).id);
    const foreign = await tokensFor(world, stranger, { scope: 'webhooks:read' });
    const streams = await Promise.all([account, one, test, foreign].map(({ access }) => listenTo(world, access)));

    await makePost(world, 'bells', { text: 'In the profile' });
    await makePost(world, world.sandboxSlug, { text: 'In the account' });
    await makePost(world, world.sandboxSlug, { text: 'Of a test key', key: world.testKey });

    const [ofAccount, ofProfile, ofTest, ofStranger] = streams;
    if (!ofAccount || !ofProfile || !ofTest || !ofStranger) throw new Error('four streams');
    expect(await texts(ofAccount, 3)).toEqual(['In the profile', 'In the account', 'Of a test key']);
    expect(await texts(ofProfile, 1)).toEqual(['In the profile']);
    expect(await texts(ofTest, 1)).toEqual(['Of a test key']);
    ofProfile.close();
    await revoke(foreign);
    expect(await texts(ofStranger, Infinity)).toEqual([]);
  });

  it('continues with the next access token of the grant, after the last event', async () => {
    const { clientId, access, refresh: old } = await tokens();
    const first = await listenTo(world, access);
    await makePost(world, world.sandboxSlug, { text: 'One' });
    const [one] = await first.next(1);
    first.close();
    await makePost(world, world.sandboxSlug, { text: 'Two' });
    const { body } = await refresh(world, clientId, old);

    const second = await listenTo(world, body.access_token, one?.id);

    expect(await texts(second, 1)).toEqual(['Two']);
  });
});

describe('the end of a stream', () => {
  it('comes when the grant is revoked', async () => {
    const granted = await tokens();
    const stream = await listenTo(world, granted.access);

    await revoke(granted);

    await stream.ended();
    expect((await streamWith(granted.access)).status).toBe(401);
  });

  it('comes when the access token expires', async () => {
    await using own = await startWorld();
    const { access } = await tokensFor(own, await signIn(own), { scope: 'webhooks:read' });
    const stream = await listenTo(own, access);

    own.clock.set(new Date(Number(claimsOf(access)['exp']) * 1000));

    await stream.ended();
  });

  it('comes when the profile of the grant is deleted', async () => {
    const { id } = await world.profile('B');
    const stream = await listenTo(world, (await tokens(id)).access);

    await world.rest(`DELETE /profiles/${id}`);

    await stream.ended();
  });

  it('comes when the person who gave the access is removed from the account', async () => {
    const other = await signIn(world, undefined, 'viewer');
    const { access } = await tokensFor(world, other, { scope: 'webhooks:read' });
    const stream = await listenTo(world, access);

    const call = await consoleCalls(world, person.browser);
    const { body } = await call('people.remove', { personId: other.ownerId });
    expect(body).toEqual({ removed: true });

    await stream.ended();
  });
});

describe('refusals', () => {
  it('403 forbidden for a token without webhooks:read', async () => {
    const { access } = await tokens('account', 'posts:read posts:write');

    const { status, body } = await streamWith(access);

    expect([status, body.error]).toEqual([403, 'forbidden']);
    expect(body.message).toContain('lacks webhooks:read');
  });

  it.each([
    ['a token of another issuer', 'eyJhbGciOiJFUzI1NiIsImtpZCI6IngifQ.e30.c2ln'],
    ['no token', 'x'],
  ])('401 unauthorized for %s', async (_case, token) => {
    const { status, body } = await streamWith(token);

    expect([status, body.error]).toEqual([401, 'unauthorized']);
  });

  it('401 on every other path of the API, whose callers use keys', async () => {
    const { access } = await tokens();

    const { status } = await world.rest('GET /webhooks', { key: null, headers: { authorization: `Bearer ${access}` } });

    expect(status).toBe(401);
  });

  it('403 limit_exceeded above five streams of a grant', async () => {
    const { access } = await tokens();
    await Promise.all(Array.from({ length: 5 }, () => listenTo(world, access)));

    const { status, body } = await streamWith(access);

    expect([status, body.error]).toEqual([403, 'limit_exceeded']);
  });
});
