/** A draft that Compose continues: what it says now counts, not what it said when it was saved (docs/guide/console.md#write-a-post). */
import { createTRPCClient, httpLink } from '@trpc/client';
import { describe, expect, it } from 'vitest';
import type { Api } from '../../console/app/data/api-types.ts';
import { isChangedSince } from '../../console/app/views/compose/changed-draft.ts';
import { type Composition, contentKey, newComposition } from '../../console/app/views/compose/composition.ts';
import { type Directory, planRequests } from '../../console/app/views/compose/requests.ts';
import type { AppRouter } from '../../routers/index.ts';
import { accountWithSandbox, storeBluesky } from '../harness/connections.ts';
import { noise } from '../harness/images.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();

/** An account with a sandbox and a LinkedIn, which has first comments and no threads, and Compose of its owner. */
async function compose() {
  const { key, id: accountId, connection } = await accountWithSandbox(world);
  const { id: linkedin } = await storeBluesky(world, accountId, { slug: 'linkedin' });
  await world.sql(`update connections set platform_id = 'linkedin' where id = $1`, [linkedin]);
  const headers = { 'x-api-key': key };
  const client = createTRPCClient<AppRouter>({ links: [httpLink({ url: `${world.url}/trpc`, headers })] });
  const api = client as unknown as Api;
  const { connections } = await api.connections.list.query({});
  const { platforms } = await api.platforms.list.query({});
  const directory: Directory = { connections, platforms: new Map(platforms.map((one) => [one.id, one])) };
  return {
    sandbox: connection.id,
    linkedin,
    /** A text that was saved as drafts, as a pause in typing does. */
    saved: async (content: Partial<Composition>): Promise<Composition> => {
      const written = { ...newComposition(), text: 'Ding', targets: [connection.id, linkedin], ...content };
      const drafts: Record<string, string> = {};
      for (const { input, connections: named } of planRequests(written, directory)) {
        const { results } = await api.posts.create.mutate({ ...input, isDraft: true });
        for (const [index, { postId }] of results.entries()) drafts[named[index]?.id ?? ''] = postId ?? 'refused';
      }
      const savedAs = contentKey(written);
      return { ...written, drafts, savedAs, saves: [{ content: savedAs, ids: Object.values(drafts) }] };
    },
    /** Reads a draft, and compares. */
    isChanged: async (composition: Composition, connectionId: string) => {
      const { post } = await api.posts.get.query({ postId: composition.drafts[connectionId] ?? '' });
      return isChangedSince(composition, post, directory.platforms);
    },
    change: (composition: Composition, connectionId: string, body: object) =>
      world.rest(`PATCH /posts/${composition.drafts[connectionId]}`, { key, body }),
    upload: async () => {
      const raw = await noise(20, 10).png().toBuffer();
      const upload = { key, raw, headers: { 'content-type': 'image/png' } };
      const { body } = await world.rest('POST /media?altText=Uploaded', upload);
      return { id: body.media.id as string, altText: '', contentType: 'image/png', width: 20, height: 10 };
    },
  };
}

describe('a draft counts as unchanged', () => {
  it.each<[string, Partial<Composition>]>([
    ['with spaces around its words', { text: ' Ding \n', variants: { linkedin: ' ' }, rewrite: false }],
    [
      'with words for each platform',
      { text: '', variants: { linkedin: ' Dang ', sandbox: 'Ding' }, thread: [' Dong ', ' '] },
    ],
    ['with a first comment and tags as typed', { firstComment: ' Dong ', tags: 'Bells, bells news' }],
    ['with a comment that was not written', { firstComment: '', rewrite: true }],
  ])('%s', async (_what, content) => {
    const { sandbox, linkedin, saved, isChanged } = await compose();
    const composition = { ...(await saved(content)), text: 'Written since' };

    expect([await isChanged(composition, sandbox), await isChanged(composition, linkedin)]).toEqual([false, false]);
  });

  it('with an image, also once that was freed', async () => {
    const { sandbox, saved, isChanged, upload } = await compose();
    const image = await upload();
    const composition = await saved({ images: [image] });

    const before = await isChanged(composition, sandbox);
    await world.sql(`update media set state = 'removed' where id = $1`, [image.id]);

    expect([before, await isChanged(composition, sandbox)]).toEqual([false, false]);
  });

  it('when it holds what is written, also when something else was saved before', async () => {
    const { sandbox, saved, isChanged } = await compose();
    const composition = await saved({});
    const ids = Object.values(composition.drafts);

    const of = (saves: Composition['saves']) => isChanged({ ...composition, saves }, sandbox);

    expect([await of([]), await of([{ content: contentKey(newComposition()), ids }])]).toEqual([false, false]);
  });
});

describe('a draft counts as changed', () => {
  it.each<[string, object]>([
    ['with other words', { text: 'Dong' }],
    ['with a first comment', { firstComment: 'Dong' }],
    ['with tags', { tags: ['bells'] }],
  ])('%s', async (_what, changes) => {
    const { linkedin, sandbox, saved, isChanged, change } = await compose();
    const composition = await saved({});
    await change(composition, linkedin, changes);

    expect([await isChanged(composition, linkedin), await isChanged(composition, sandbox)]).toEqual([true, false]);
  });

  it('with another reply', async () => {
    const { sandbox, saved, isChanged, change } = await compose();
    const composition = await saved({ targets: [sandbox], thread: ['Dong'] });
    await change(composition, sandbox, { thread: ['Dang'] });

    expect(await isChanged(composition, sandbox)).toBe(true);
  });

  it('with another alt text, and without its image', async () => {
    const { sandbox, saved, isChanged, change, upload } = await compose();
    const image = await upload();
    const composition = await saved({ images: [image] });

    await change(composition, sandbox, { media: [{ id: image.id, altText: 'A bell' }] });
    const withOther = await isChanged(composition, sandbox);
    await change(composition, sandbox, { media: [] });

    expect([withOther, await isChanged(composition, sandbox)]).toEqual([true, true]);
  });
});
