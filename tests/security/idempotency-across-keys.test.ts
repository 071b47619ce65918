/**
 * An answer stored under an Idempotency-Key is replayed only to callers that reach its posts
 * (docs/contract/posts.md#idempotency-across-keys).
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { connectSandbox } from '../harness/connections.ts';
import { startWorld, type World } from '../harness/world.ts';
import { callTool, signIn, tokensFor } from '../oauth/agents.ts';

let world: World;
let a: { id: string; key: string };
let b: { id: string; key: string };
beforeAll(async () => {
  world = await startWorld();
  [a, b] = [await profileWithKey('A'), await profileWithKey('B')];
});

async function profileWithKey(name: string) {
  const { id } = await world.profile(name);
  await connectSandbox(world, { key: world.liveKey, slug: 'bells', profileId: id });
  return { id, key: (await world.key({ profileId: id })).secret };
}

const create = (key: string, idempotencyKey: string, fields: object = {}) =>
  world.rest('POST /posts', {
    key,
    body: { text: 'Ding', connectionSlugs: ['bells'], ...fields },
    headers: { 'idempotency-key': idempotencyKey },
  });

const conflict = (idempotencyKey: string) => [
  409,
  expect.objectContaining({
    error: 'idempotency_key_conflict',
    message: `Another API key or agent of this account used the Idempotency-Key "${idempotencyKey}" for posts that yours does not reach; use a new key.`,
    retryable: false,
  }),
];

describe('an answer is replayed', () => {
  it('to no key of another profile, with any body, and nothing is posted', async () => {
    await create(a.key, 'of-a');
    const posts = await world.sql('select id from posts');

    const same = await create(b.key, 'of-a');
    const other = await create(b.key, 'of-a', { text: 'Dong' });

    expect([same.status, same.body]).toEqual(conflict('of-a'));
    expect([other.status, other.body]).toEqual(conflict('of-a'));
    expect(await world.sql('select id from posts')).toEqual(posts);
  });

  it('to the keys of the same profile, and to account keys', async () => {
    const first = await create(a.key, 'shared');
    const another = await world.key({ profileId: a.id });

    const [again, ofAccount] = [await create(another.secret, 'shared'), await create(world.liveKey, 'shared')];

    expect([again.status, again.body]).toEqual([200, first.body]);
    expect([ofAccount.status, ofAccount.body]).toEqual([200, first.body]);
  });

  it('to no key of a profile when its posts are in no profile', async () => {
    await create(world.liveKey, 'own', { connectionSlugs: [world.sandboxSlug] });

    const own = await create(a.key, 'own', { connectionSlugs: [world.sandboxSlug] });

    expect([own.status, own.body]).toEqual(conflict('own'));
  });

  it('to no test key when a live key sent the first request, and to no live key when a test key did', async () => {
    const slug = { connectionSlugs: [world.sandboxSlug] };
    await create(world.liveKey, 'live', slug);
    await create(world.testKey, 'test', slug);

    const [toTest, toLive] = [await create(world.testKey, 'live', slug), await create(world.liveKey, 'test', slug)];

    expect([toTest.status, toTest.body]).toEqual(conflict('live'));
    expect([toLive.status, toLive.body]).toEqual(conflict('test'));
  });

  it('to no other profile, even when it names only deleted posts', async () => {
    const draft = await create(a.key, 'gone', { isDraft: true });
    await world.rest(`DELETE /posts/${draft.body.results[0].postId}`, { key: a.key });

    const [other, own] = [
      await create(b.key, 'gone', { isDraft: true }),
      await create(a.key, 'gone', { isDraft: true }),
    ];

    expect([other.status, other.body]).toEqual(conflict('gone'));
    expect([own.status, own.body]).toEqual([200, draft.body]);
  });

  it('to no other caller while the first request is still running', async () => {
    const first = await create(a.key, 'running');
    await world.sql(
      `update idempotency_records set completed_at = null, response = jsonb_build_object('results', jsonb_build_array(
         jsonb_build_object('pending', $1::text))) where key = 'running'`,
      [first.body.results[0].postId],
    );
    await world.sql(`update posts set status = 'processing' where id = $1`, [first.body.results[0].postId]);

    const [other, own] = [await create(b.key, 'running'), await create(a.key, 'running')];
    await world.sql(`update posts set status = 'sent' where id = $1`, [first.body.results[0].postId]);

    expect([other.status, other.body]).toEqual(conflict('running'));
    expect([own.status, own.body.error, own.body.retryable]).toEqual([409, 'idempotency_key_conflict', true]);
  });

  it('to a live key that published a draft of a test key, unchanged', async () => {
    const draft = await world.rest('POST /posts', {
      key: world.testKey,
      body: { text: 'Draft', connectionSlugs: [world.sandboxSlug], isDraft: true },
    });
    const path = `POST /posts/${draft.body.results[0].postId}/publish` as const;
    const publish = (key: string) => world.rest(path, { key, body: {}, headers: { 'idempotency-key': 'published' } });

    const [first, again, other] = [
      await publish(world.liveKey),
      await publish(world.liveKey),
      await publish(world.testKey),
    ];

    expect([again.status, again.body]).toEqual([200, first.body]);
    expect([other.status, other.body]).toEqual(conflict('published'));
  });

  it('to no agent that reaches another profile only, over MCP', async () => {
    const person = await signIn(world);
    const scope = 'posts:write connections:read';
    const [ofA, ofB] = [
      await tokensFor(world, person, { scope, reach: a.id }),
      await tokensFor(world, person, { scope, reach: b.id }),
    ];
    const input = { text: 'By agent', connectionSlugs: ['bells'], idempotencyKey: 'agent' };
    const first = await callTool(world, ofA.access, 'create_post', input);

    const other = await callTool(world, ofB.access, 'create_post', input);
    const again = await callTool(world, ofA.access, 'create_post', input);

    expect(other.body.result.isError).toBe(true);
    expect(other.body.result.content[0].text).toContain('idempotency_key_conflict');
    expect(other.body.result.content[0].text).toContain('Another API key or agent of this account');
    expect(again.body.result.structuredContent).toEqual(first.body.result.structuredContent);
  });
});
