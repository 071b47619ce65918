/**
 * A save of Compose whose answer was lost, and that is too old to repeat: its drafts are found by what they say and when they
 * were stored (docs/guide/console.md#write-a-post).
 */
import { createTRPCClient, httpLink } from '@trpc/client';
import { describe, expect, it } from 'vitest';
import type { Api } from '../../console/app/data/api-types.ts';
import { type Composition, newComposition, type Pending } from '../../console/app/views/compose/composition.ts';
import { findSaved } from '../../console/app/views/compose/forgotten-save.ts';
import { planRequests } from '../../console/app/views/compose/requests.ts';
import type { AppRouter } from '../../routers/index.ts';
import { accountWithSandbox, connectSandbox, storeDiscord } from '../harness/connections.ts';
import { noise } from '../harness/images.ts';
import { startWorld } from '../harness/world.ts';

const HOUR = 3_600_000;
const world = await startWorld();

/** An account with a sandbox, one of a customer, and a platform without threads, and a save for them that got no answer. */
async function compose({ others = 0 } = {}) {
  const { key, id: accountId, connection } = await accountWithSandbox(world);
  const more: string[] = [];
  for (let left = others; left > 0; left -= 1) {
    more.push((await connectSandbox(world, { key, slug: `sandbox-${left}` })).id);
  }
  const { id: profileId } = await world.profile('Customer', accountId);
  const shop = await connectSandbox(world, { key, slug: 'sandbox', profileId });
  const discord = await storeDiscord(world, accountId, 'discord');
  const headers = { 'x-api-key': key };
  const client = createTRPCClient<AppRouter>({ links: [httpLink({ url: `${world.url}/trpc`, headers })] });
  const api = client as unknown as Api;
  const { connections } = await api.connections.list.query({});
  const { platforms } = await api.platforms.list.query({});
  const directory = { connections, platforms: new Map(platforms.map((one) => [one.id, one])) };
  return {
    accountId,
    key,
    api,
    ids: [connection.id, shop.id, discord.id, ...more],
    upload: async () => {
      const raw = await noise(20, 10).png().toBuffer();
      const upload = { key, raw, headers: { 'content-type': 'image/png' } };
      const { body } = await world.rest('POST /media', upload);
      return { id: body.media.id as string, altText: 'A bell', contentType: 'image/png', width: 20, height: 10 };
    },
    /** Saves a text. @returns the requests, and the ids of the drafts of each */
    save: async (content: Partial<Composition>) => {
      const startedAt = world.clock.now().getTime();
      const planned = planRequests({ ...newComposition(), ...content }, directory);
      const requests = planned.map(({ input }, index) => ({ key: `${index}`, input: { ...input, isDraft: true } }));
      const pending: Pending = { kind: 'save', startedAt, requests };
      const answers = await Promise.all(requests.map(({ input }) => api.posts.create.mutate(input)));
      const stored = answers.map(({ results }) => results.map(({ postId }) => postId));
      return { pending, stored };
    },
  };
}

const idsOf = (found: Awaited<ReturnType<typeof findSaved>>) => found.map((posts) => posts.map(({ id }) => id));

describe('a save that the service may have forgotten', () => {
  it('names the drafts that it stored, of each profile and platform, after a day', async () => {
    const { api, ids, upload, save } = await compose();
    const { pending, stored } = await save({
      text: ' Ding ',
      variants: { discord: 'Dang' },
      thread: ['Dong'],
      tags: 'Bells, news',
      images: [await upload()],
      targets: ids,
    });
    world.clock.advance(24 * HOUR);
    await save({ text: 'Ding', targets: ids });

    const found = await findSaved(api, pending, new Set());

    expect(stored.flat()).toHaveLength(3);
    expect(idsOf(found)).toEqual(stored);
  });

  it('names them too when they are many', async () => {
    const { api, ids, save } = await compose({ others: 20 });
    const { pending, stored } = await save({ text: 'Ding', targets: ids });

    const found = await findSaved(api, pending, new Set());

    expect(found.flat()).toHaveLength(23);
    expect(idsOf(found).map((some) => new Set(some))).toEqual(stored.map((some) => new Set(some)));
  });

  it.each([
    ['has other words', { text: 'Dong' }],
    ['has another reply', { thread: ['Dang'] }],
    ['has a tag', { tags: ['bells'] }],
    ['has no image', { media: [] }],
  ])('does not name a draft that %s by now', async (_what, changes) => {
    const { api, key, ids, upload, save } = await compose();
    const content = { text: 'Ding', thread: ['Dong'], images: [await upload()], targets: ids.slice(0, 1) };
    const { pending, stored } = await save(content);
    await world.rest(`PATCH /posts/${stored[0]?.[0]}`, { key, body: changes });

    expect(idsOf(await findSaved(api, pending, new Set()))).toEqual([[]]);
  });

  it('does not name a post that its draft was published as, or one that waits for approval', async () => {
    const { accountId, api, key, ids, save } = await compose();
    const { pending, stored } = await save({ text: 'Ding', targets: ids.slice(0, 2) });
    const [published, waiting] = stored.flat();
    await world.rest(`POST /posts/${published}/publish`, { key, body: {} });
    const { secret } = await world.key({ accountId, approval: 'required' });
    await world.rest(`POST /posts/${waiting}/publish`, { key: secret, body: {} });

    expect(idsOf(await findSaved(api, pending, new Set()))).toEqual([[], []]);
  });
});
