/** A stop of a key or an agent is also one of the keys that were and will be created under it (docs/contract/stops.md). */
import { describe, expect, it } from 'vitest';
import { consoleCalls } from '../../harness/console-calls.ts';
import { type CreatedKey, putUnder, refusedPost, tenantWithCreatedKey } from '../../harness/created-keys.ts';
import { sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { callMcp, callTool, signIn, tokensFor } from '../../oauth/agents.ts';

const world = await startWorld();
const HOUR = 3_600_000;
const iso = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString();

async function tenant() {
  const made = await tenantWithCreatedKey(world);
  const { key, connectionId, post } = made;
  return {
    ...made,
    schedule: async (by: CreatedKey): Promise<string> => (await post(by, { scheduledFor: iso(HOUR) })).postId,
    stop: async (body: object = {}) => (await world.rest('POST /stops', { key, body })).body.stop,
    release: (stopId: string) => world.rest(`POST /stops/${stopId}/release`, { key, body: { posts: 'send' } }),
    read: async (postId: string) => (await world.rest(`GET /posts/${postId}`, { key })).body.post,
    published: async () => (await sandboxOf(world, connectionId)).length,
  };
}

/** The result of a post that is refused. */
const stopped = (what = 'of this API key') =>
  refusedPost({
    code: 'stopped',
    message: `Nothing ${what} goes out since ${iso(0)}: A key has stopped it. Drafts can be written; an owner releases the stop.`,
  });

const SENT = expect.objectContaining({ status: 'sent', error: null });

describe('a stop of a key', () => {
  it('stops the keys that it has created', async () => {
    const { creator, created, post, stop, published } = await tenant();
    await stop({ keyId: creator.id });

    const results = [await post(created), await post(created, { scheduledFor: iso(HOUR) })];

    expect(results).toEqual([stopped(), stopped()]);
    await world.advance(HOUR);
    expect(await published()).toBe(0);
  });

  it('stops the keys that it creates meanwhile, which can write drafts', async () => {
    const { creator, create, post, stop, published } = await tenant();
    await stop({ keyId: creator.id });

    const later = await create();
    const result = await post(later);
    const draft = await post(later, { isDraft: true });
    const publish = await world.rest(`POST /posts/${draft.postId}/publish`, { key: later.secret, body: {} });

    expect(result).toEqual(stopped());
    expect([draft.status, publish.body.result]).toEqual([
      'draft',
      { ...stopped(), status: 'draft', postId: draft.postId },
    ]);
    expect(await published()).toBe(0);
  });

  it('stops keys of every level under it', async () => {
    const { creator, created, create, post, stop } = await tenant();
    const deepest = await create();
    await putUnder(world, deepest, created);
    await stop({ keyId: creator.id });

    expect(await post(deepest)).toEqual(stopped());
  });

  it('stops what it created also after the key was revoked', async () => {
    const { key, creator, created, post, stop } = await tenant();
    await world.rest(`DELETE /keys/${creator.id}`, { key });

    await stop({ keyId: creator.id });

    expect(await post(created)).toEqual(stopped());
  });

  it('leaves its creator, other keys of the creator and other keys alone', async () => {
    const { key, creator, created, create, post, stop } = await tenant();
    const sibling = await create();
    await stop({ keyId: created.id });

    const results = [await post({ secret: key }), await post(creator), await post(sibling), await post(created)];

    expect(results).toEqual([SENT, SENT, SENT, stopped()]);
  });

  it('holds what they have scheduled, and the release sends it', async () => {
    const { creator, created, schedule, stop, release, read, published } = await tenant();
    const [own, theirs] = [await schedule(creator), await schedule(created)];

    const { id, held } = await stop({ keyId: creator.id });
    await world.advance(HOUR);

    expect([held, await published()]).toEqual([2, 0]);
    expect([await read(own), await read(theirs)]).toMatchObject([
      { status: 'scheduled', stopId: id },
      { status: 'scheduled', stopId: id },
    ]);
    await release(id);
    await world.runDue();
    await world.advance(HOUR);
    expect(await published()).toBe(2);
  });

  it('keeps what they have scheduled when the stop of the account is released', async () => {
    const { creator, created, schedule, stop, release, read } = await tenant();
    const postId = await schedule(created);
    const [everything, ofKey] = [await stop(), await stop({ keyId: creator.id })];

    await release(everything.id);
    await world.advance(HOUR);

    expect(await read(postId)).toMatchObject({ status: 'scheduled', stopId: ofKey.id });
  });

  it('holds a post of theirs that was stored at the moment of the stop, when it is due', async () => {
    const { creator, created, schedule, stop, read, published } = await tenant();
    const postId = await schedule(created);
    const { id } = await stop({ keyId: creator.id });
    // As if its request had been admitted before the stop.
    await world.sql('update posts set held = false, stop_id = null where id = $1', [postId]);

    await world.advance(HOUR);

    expect([await published(), await read(postId)]).toMatchObject([0, { status: 'scheduled', stopId: id }]);
  });

  it('holds the repeat of a post of theirs that was being sent', async () => {
    const { creator, created, post, stop, release, published } = await tenant();
    const { postId } = await post(created, { text: '[[unavailable]] Ding', scheduledFor: iso(HOUR) });
    await world.advance(HOUR);
    await world.sql(`update posts set text = 'Ding' where id = $1`, [postId]);
    const { id } = await stop({ keyId: creator.id });

    await world.advance(HOUR);
    expect(await published()).toBe(0);

    await release(id);
    await world.runDue();
    expect(await published()).toBe(1);
  });

  it('refuses to send a failed post of theirs again', async () => {
    const { creator, created, post, stop } = await tenant();
    const { postId } = await post(created, { text: '[[reject]] Ding' });
    await stop({ keyId: creator.id });

    const { body } = await world.rest(`POST /posts/${postId}/retry`, { key: created.secret, body: {} });

    expect(body.result).toEqual({ ...stopped(), postId });
  });

  it('fails the rows of their imports', async () => {
    const { creator, created, stop, published } = await tenant();
    await stop({ keyId: creator.id });
    const content = JSON.stringify([{ text: 'Ding', connectionSlugs: ['shop'], scheduledFor: iso(HOUR) }]);

    const { body } = await world.rest('POST /imports', { key: created.secret, body: { format: 'json', content } });
    await world.runDue();

    const { rows } = (await world.rest(`GET /imports/${body.import.id}`, { key: created.secret })).body;
    const { connectionSlug, status, postId, scheduledFor, error } = stopped();
    const results = [{ connectionSlug, status, postId, scheduledFor, error }];
    expect(rows).toEqual([{ row: 1, status: 'failed', results, error }]);
    expect(await published()).toBe(0);
  });
});

describe('a stop of an agent', () => {
  it('stops the keys that it has created and creates meanwhile', async () => {
    const { accountId, profileId, post, stop } = await tenant();
    const { access, clientId } = await tokensFor(world, await signIn(world, accountId), {
      scope: 'keys:write posts:read posts:write',
    });
    const mint = async (): Promise<CreatedKey> => {
      const params = { name: 'mint_key', arguments: { profileId, name: 'Of an agent', type: 'live' } };
      const { body } = await callMcp(
        world,
        access,
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
        '/mcp/x/keys',
      );
      const { key, secret } = body.result.structuredContent;
      return { id: key.id, secret };
    };
    const before = await mint();
    const [grant] = await world.sql<{ id: string }>('select id from oauth_grants where client_id = $1', [clientId]);
    await stop({ grantId: grant?.id });
    const later = await mint();

    expect([await post(before), await post(later)]).toEqual([stopped('of this agent'), stopped('of this agent')]);
  });

  it('stays when the agent is allowed again, also by an editor, until its new access is released', async () => {
    const { key, accountId, profileId, stop, release, published } = await tenant();
    const scope = 'posts:read posts:write';
    const { clientId } = await tokensFor(world, await signIn(world, accountId), { scope });
    const [grant] = await world.sql<{ id: string }>('select id from oauth_grants where client_id = $1', [clientId]);
    const first = await stop({ grantId: grant?.id, reason: 'Nonsense' });

    const { access } = await tokensFor(world, await signIn(world, accountId, 'editor'), { scope, clientId });

    const publish = async () => {
      const input = { text: 'Ding', connectionSlugs: ['shop'], profileId };
      return (await callTool(world, access, 'create_post', input)).body.result.structuredContent.results[0];
    };
    const { stops } = (await world.rest('GET /stops', { key })).body;
    const second = stops.find(({ id }: { id: string }) => id !== first.id);
    expect(stops).toHaveLength(2);
    expect(second).toEqual({ ...first, id: second.id, targetId: expect.not.stringContaining(first.targetId) });
    expect((await publish()).error.code).toBe('stopped');
    await release(first.id);
    expect((await publish()).error.code).toBe('stopped');
    expect(await published()).toBe(0);
    await release(second.id);
    expect(await publish()).toEqual(SENT);
  });

  it('is seen by a key of a profile if it is about the account, the profile or the key itself', async () => {
    const { creator, created, create, profileId, stop } = await tenant();
    const other = await create();
    const [ofKey, ofProfile, ofAccount] = [
      await stop({ keyId: created.id }),
      await stop({ profileId }),
      await stop({}),
    ];
    await stop({ keyId: creator.id });
    await stop({ keyId: other.id });

    const { body } = await world.rest('GET /stops', { key: created.secret });

    expect(body.stops.map(({ id }: { id: string }) => id)).toEqual([ofAccount.id, ofProfile.id, ofKey.id]);
    expect(body.stops[2].targetName).toBe('Created');
  });

  it('stays also when the person who allowed the agent has left, and its access is deleted', async () => {
    const { key, accountId, profileId, stop, release, published } = await tenant();
    const scope = 'posts:read posts:write';
    await signIn(world, accountId);
    const editor = await signIn(world, accountId, 'editor');
    const { clientId } = await tokensFor(world, editor, { scope });
    const [grant] = await world.sql<{ id: string }>('select id from oauth_grants where client_id = $1', [clientId]);
    const first = await stop({ grantId: grant?.id });
    const call = await consoleCalls(world, editor.browser);
    expect((await call('people.leave')).status).toBe(200);
    expect(await world.sql('select id from oauth_grants where id = $1', [grant?.id])).toEqual([]);

    const { access } = await tokensFor(world, await signIn(world, accountId, 'editor'), { scope, clientId });

    const publish = async () => {
      const input = { text: 'Ding', connectionSlugs: ['shop'], profileId };
      return (await callTool(world, access, 'create_post', input)).body.result.structuredContent.results[0];
    };
    expect((await publish()).error.code).toBe('stopped');
    expect(await published()).toBe(0);
    const { stops } = (await world.rest('GET /stops', { key })).body;
    for (const { id } of stops) await release(id);
    expect([stops.length, await publish()]).toEqual([2, SENT]);
    expect(stops.map(({ id }: { id: string }) => id)).toContain(first.id);
  });

  it('does not reach an agent that is allowed in another account, or again after the release', async () => {
    const [own, other] = [await tenant(), await tenant()];
    const { clientId } = await tokensFor(world, await signIn(world, own.accountId));
    const [grant] = await world.sql<{ id: string }>('select id from oauth_grants where client_id = $1', [clientId]);
    const { id } = await own.stop({ grantId: grant?.id });

    await tokensFor(world, await signIn(world, other.accountId), { clientId });
    await own.release(id);
    await tokensFor(world, await signIn(world, own.accountId), { clientId });

    for (const { key } of [own, other]) expect((await world.rest('GET /stops', { key })).body.stops).toEqual([]);
  });
});
