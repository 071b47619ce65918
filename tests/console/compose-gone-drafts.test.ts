/** What Compose finds out about drafts of a text that are gone, by what its session may read (docs/guide/console.md#write-a-post). */
import { createTRPCClient, httpLink } from '@trpc/client';
import { describe, expect, it } from 'vitest';
import type { Api } from '../../console/app/data/api-types.ts';
import { newComposition } from '../../console/app/views/compose/composition.ts';
import { findGone } from '../../console/app/views/compose/gone-drafts.ts';
import type { AppRouter } from '../../routers/index.ts';
import { makeAccount } from '../harness/accounts.ts';
import { connectSandbox, type TestConnection } from '../harness/connections.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();

function apiOf(key: string): Api {
  const headers = { 'x-api-key': key };
  const client = createTRPCClient<AppRouter>({ links: [httpLink({ url: `${world.url}/trpc`, headers })] });
  return client as unknown as Api;
}

/** A text that is saved as one draft per sandbox. */
async function saved(count: number) {
  const { key, id: accountId } = await makeAccount(world);
  const { id: profileId } = await world.profile('Customer', accountId);
  const api = apiOf(key);
  const connections: TestConnection[] = [];
  while (connections.length < count) {
    connections.push(await connectSandbox(world, { key, slug: `sandbox-${connections.length}`, profileId }));
  }
  const input = { profileId, text: 'Ding', connectionSlugs: connections.map(({ slug }) => slug), isDraft: true };
  const { results } = await api.posts.create.mutate(input);
  const ids = results.map(({ postId }) => postId ?? '');
  const drafts = Object.fromEntries(connections.map(({ id }, index) => [id, ids[index] ?? '']));
  const requests = [{ key: 'save', input: { ...input, replaces: ids } }];
  return {
    api,
    ids,
    /** Publishes a text from another device, in place of the drafts. */
    sendElsewhere: (text: string, replaces: string[]) =>
      api.posts.create.mutate({ ...input, text, isDraft: false, replaces }),
    /** The API of a key with these scopes. */
    limitedTo: async (...scopes: string[]) => {
      const body = { name: 'Limited', type: 'live', scopes };
      const { secret } = (await world.rest(`POST /profiles/${profileId}/keys`, { key, body })).body;
      return apiOf(secret);
    },
    /** What is found, as ids of drafts with the status of what they became. */
    find: async (by = api) => {
      const composition = { ...newComposition(), text: 'Ding', drafts };
      const { connections: directory } = await api.connections.list.query({});
      const gone = await findGone(by, composition, requests, directory);
      return gone.map(({ id, connectionId, post }) => [
        ids.indexOf(id),
        connections.findIndex((one) => one.id === connectionId),
        post?.status ?? null,
      ]);
    },
  };
}

describe.each([
  ['a few drafts', 5],
  ['very many drafts', 45],
])('of %s', (_what, count) => {
  it('those are found that were published, scheduled or deleted elsewhere', async () => {
    const { api, ids, find } = await saved(count);
    const [first = '', second = '', third = ''] = ids;
    await api.posts.publish.mutate({ postId: first });
    await api.posts.publish.mutate({ postId: second, queue: false, scheduledFor: inAnHour() });
    await api.posts.delete.mutate({ postId: third });
    await api.posts.delete.mutate({ postId: ids.at(-1) ?? '' });

    expect(await find()).toEqual([
      [0, 0, 'sent'],
      [1, 1, 'scheduled'],
      [2, 2, null],
      [count - 1, count - 1, null],
    ]);
  });

  it('those are found whose text was published from another device, which deleted them', async () => {
    const { ids, sendElsewhere, find } = await saved(count);
    await sendElsewhere(' Ding ', ids);

    expect(await find()).toEqual(Array.from({ length: count }, (_, index) => [index, index, 'sent']));
  });

  it('those are gone without a trace in whose place another text was published', async () => {
    const { ids, sendElsewhere, find } = await saved(count);
    await sendElsewhere('Dong', ids);

    expect(await find()).toEqual(Array.from({ length: count }, (_, index) => [index, index, null]));
  });

  it('none is found while all are there', async () => {
    const { find } = await saved(count);

    expect(await find()).toEqual([]);
  });

  it('all count as gone for a key that may not read posts', async () => {
    const { limitedTo, find } = await saved(count);

    const found = await find(await limitedTo('posts:write', 'connections:read'));

    expect(found).toEqual(Array.from({ length: count }, (_, index) => [index, index, null]));
  });
});

function inAnHour(): string {
  return new Date(world.clock.now().getTime() + 3_600_000).toISOString();
}
