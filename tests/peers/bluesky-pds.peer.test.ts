/** The Bluesky adapter against a real PDS. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bluesky } from '../../platforms/bluesky/index.ts';
import { findEntities, toFacets } from '../../platforms/bluesky/facets.ts';
import { makeTid } from '../../platforms/bluesky/tid.ts';
import type { SendPart } from '../../platforms/contract.ts';
import { failureOf, headPart, sessionOf, testIo } from '../platforms/harness.ts';
import { PEERS_CACHE, peerScript } from './ensure-peers.ts';
import { type RealServer, startPds } from './real-servers.ts';

const script = peerScript('bluesky/start-pds.mjs');
const now = () => new Date();
const POSTS = 'app.bsky.feed.post';

interface RawAccount {
  readonly did: string;
  readonly handle: string;
  readonly accessJwt: string;
}

describe.skipIf(script === undefined)('a real PDS', () => {
  let server: RealServer;
  let alice: RawAccount;
  let bob: RawAccount;
  let appPassword: string;

  const io = () => testIo(now, { BLUESKY_SERVICE_URL: server.url });
  const connect = () => bluesky.connectAccount({ identifier: alice.handle, appPassword }, io());
  let parts = 0;

  function part(text: string, more: Partial<SendPart> = {}): SendPart {
    parts += 1;
    const startedAt = now();
    return { ...headPart(text, makeTid(startedAt, `attempt-${parts}`), startedAt), ...more };
  }

  async function raw<Answer>(method: string, input: unknown, token?: string): Promise<Answer> {
    const headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const response = await fetch(`${server.url}/xrpc/${method}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(input),
    });
    if (!response.ok) throw new Error(`${method}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  const createAccount = (handle: string) =>
    raw<RawAccount>('com.atproto.server.createAccount', {
      handle,
      email: `${handle}@mail.test`,
      password: 'correct horse',
    });

  async function records(): Promise<{ uri: string; value: Record<string, unknown> }[]> {
    const query = new URLSearchParams({ repo: alice.did, collection: POSTS, limit: '100' });
    const response = await fetch(`${server.url}/xrpc/com.atproto.repo.listRecords?${query.toString()}`);
    return ((await response.json()) as { records: { uri: string; value: Record<string, unknown> }[] }).records;
  }

  beforeAll(async () => {
    server = await startPds(script ?? '');
    console.log(`PDS ready after ${server.startMs} ms`);
    alice = await createAccount('alice.test');
    bob = await createAccount('bob.test');
    const made = await raw<{ password: string }>(
      'com.atproto.server.createAppPassword',
      { name: 'c' },
      alice.accessJwt,
    );
    appPassword = made.password;
  });

  afterAll(() => server?.stop());

  it('connects with an app password', async () => {
    expect(await connect()).toEqual({
      platformAccountId: alice.did,
      handle: 'alice.test',
      credential: {
        service: server.url,
        pds: server.url,
        identifier: 'alice.test',
        appPassword,
        accessJwt: expect.any(String) as string,
        refreshJwt: expect.any(String) as string,
      },
    });
  });

  it('reports that a wrong password is refused', async () => {
    const call = bluesky.connectAccount({ identifier: alice.handle, appPassword: 'nope' }, io());

    expect(await failureOf(call)).toEqual({
      kind: 'reconnect',
      message: 'Bluesky does not accept this credential: Invalid identifier or password',
    });
  });

  it('keeps one record of a post with facets that is published twice, found, and taken down twice', async () => {
    const session = sessionOf(await connect());
    const head = part('🎉 hi @bob.test, @nobody.test: https://example.com/a #bells');
    const before = performance.now();
    const first = await bluesky.publish(session, head, io());
    console.log(`a post with two mentions took ${Math.round(performance.now() - before)} ms`);

    const second = await bluesky.publish(session, head, io());

    expect(second).toEqual(first);
    expect(first).toEqual({
      platformPostId: `at://${alice.did}/${POSTS}/${head.token}`,
      url: `https://bsky.app/profile/${alice.did}/post/${head.token}`,
      ref: { cid: expect.any(String) as string },
    });
    expect(await records()).toEqual([
      {
        uri: first.platformPostId,
        cid: first.ref?.['cid'],
        value: {
          $type: POSTS,
          text: head.text,
          createdAt: head.startedAt.toISOString(),
          facets: toFacets(findEntities(head.text), new Map([['bob.test', bob.did]])),
        },
      },
    ]);
    expect(await bluesky.readBack?.(session, head, io())).toEqual(first);

    await bluesky.remove?.(session, first, io());
    await bluesky.remove?.(session, first, io());

    expect(await records()).toEqual([]);
    expect(await bluesky.readBack?.(session, head, io())).toBeNull();
  });

  it('adopts the existing record when a repeat differs, and never overwrites it', async () => {
    const session = sessionOf(await connect());
    const head = part('same text');
    const first = await bluesky.publish(session, head, io());

    const later = await bluesky.publish(session, { ...head, startedAt: new Date(head.startedAt.getTime() + 1) }, io());
    const foreign = await failureOf(bluesky.publish(session, { ...head, text: 'other text' }, io()));

    expect(later).toEqual(first);
    expect(foreign.kind).toBe('unavailable');
    expect((await records()).map(({ value }) => value['text'])).toEqual(['same text']);
    await bluesky.remove?.(session, first, io());
  });

  it('attaches replies below the first post', async () => {
    const session = sessionOf(await connect());
    const root = await bluesky.publish(session, part('one'), io());
    const second = await bluesky.publish(session, part('two', { step: 'reply', root, parent: root }), io());
    const more = { step: 'reply', index: 1, root, parent: second } as const;
    const third = await bluesky.publish(session, part('three', more), io());

    const ref = (post: typeof root) => ({ uri: post.platformPostId, cid: post.ref?.['cid'] });
    expect((await records()).map(({ value }) => value['reply'])).toEqual([
      { root: ref(root), parent: ref(second) },
      { root: ref(root), parent: ref(root) },
      undefined,
    ]);
    for (const post of [third, second, root]) await bluesky.remove?.(session, post, io());
    expect(await records()).toEqual([]);
  });

  it('accepts 300 graphemes and 3000 bytes, and refuses more', async () => {
    const session = sessionOf(await connect());
    const wide = `${'e\u0301\u0302\u0303'.repeat(200)}${'x'.repeat(100)}`;
    const longest = await bluesky.publish(session, part(wide), io());

    expect(await failureOf(bluesky.publish(session, part(`${wide}x`), io()))).toEqual({
      kind: 'rejected',
      message: expect.stringContaining('grapheme too big (maximum 300, got 301)') as string,
    });
    expect(await failureOf(bluesky.publish(session, part('👨‍👩‍👧‍👦'.repeat(121)), io()))).toEqual({
      kind: 'rejected',
      message: expect.stringContaining('maximum 3000') as string,
    });
    await bluesky.remove?.(session, longest, io());
  });

  it('refreshes rejected tokens with the refresh token, else with the password, else not at all', async () => {
    const account = await connect();
    const broken = (credential: Partial<typeof account.credential>) =>
      sessionOf({ ...account, credential: { ...account.credential, accessJwt: 'dead', ...credential } });

    const byRefresh = await bluesky.publish(broken({}), part('by refresh token'), io());
    const byPassword = await bluesky.publish(broken({ refreshJwt: 'dead' }), part('by password'), io());
    const dead = broken({ refreshJwt: 'dead', appPassword: 'dead' });

    expect(await failureOf(bluesky.publish(dead, part('by nothing'), io()))).toMatchObject({ kind: 'reconnect' });
    expect(await records()).toHaveLength(2);
    for (const post of [byRefresh, byPassword]) await bluesky.remove?.(sessionOf(account), post, io());
  });

  it('finds the same facets in ordinary texts as the official library', async () => {
    const library = join(PEERS_CACHE, 'node_modules/@atproto/api/dist/index.js');
    const { RichText } = (await import(/* @vite-ignore */ pathToFileURL(library).href)) as OfficialLibrary;
    const texts = [
      '🎉 hi @bob.test, see https://example.com/a_(b) and example.com/path. #bells #größe!',
      'no.js me@example.com #1 a#b @alice x.y https://',
      '👨‍👩‍👧‍👦 𝒳 #tag\nhttps://example.com/?q=1&r=2#s; www.example.org, @alice.bsky.social.',
      "@bob.test's https://example.com/#section #日本語",
    ];

    for (const text of texts) {
      const official = new RichText({ text });
      official.detectFacetsWithoutResolution();
      const mentioned = findEntities(text).flatMap((entity) => (entity.kind === 'mention' ? [entity.handle] : []));
      const ours = toFacets(findEntities(text), new Map(mentioned.map((handle) => [handle, handle])));
      const theirs = (official.facets ?? []).map(({ index: { byteStart, byteEnd }, features }) => {
        return { index: { byteStart, byteEnd }, features };
      });
      expect(ours).toEqual(theirs);
    }
  });
});

/** The subset of @atproto/api that is used here. */
interface OfficialLibrary {
  readonly RichText: new (properties: { text: string }) => {
    readonly facets?: { readonly index: { byteStart: number; byteEnd: number }; readonly features: object[] }[];
    detectFacetsWithoutResolution(): void;
  };
}
