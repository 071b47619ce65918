/**
 * Where Compose begins with a post that an address names: with what it says now, and for one of a request for approval with the
 * time that was asked for (docs/guide/console.md#write-a-post).
 */
import { QueryObserver } from '@tanstack/react-query';
import { createTRPCClient, httpLink } from '@trpc/client';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Trpc } from '../../console/app/data/api-types.ts';
import { createQueryClient } from '../../console/app/data/query-client.ts';
import { beginningOf, isBegunFrom, readingOf, readPost } from '../../console/app/views/compose/beginning.ts';
import { localTimeOf } from '../../console/app/views/compose/search.ts';
import type { AppRouter } from '../../routers/index.ts';
import { startWorld } from '../harness/world.ts';

const HOUR = 3_600_000;
const world = await startWorld();
const { secret: agent } = await world.key({ approval: 'required' });
const key = world.liveKey;
const nowMs = () => world.clock.now().getTime();
const iso = (ms: number) => new Date(nowMs() + ms).toISOString();

/** An agent asks for a post; gives its id, and reads it. */
async function asked(fields: object = {}) {
  const input = { text: 'Ding dnog', connectionSlugs: [world.sandboxSlug], ...fields };
  const { body } = await world.rest('POST /posts', { key: agent, body: input });
  const postId: string = body.results[0].postId;
  return { postId, post: async () => (await world.rest(`GET /posts/${postId}`)).body.post };
}

describe('Compose begins with', () => {
  it('the time that was asked for, without a draft to save', async () => {
    const { post, postId } = await asked({ scheduledFor: iso(24 * HOUR), tags: ['bells'] });

    const begun = beginningOf(await post(), { draft: postId }, nowMs());

    const { plan } = (await post()).approval ?? {};
    expect(plan).toEqual({ scheduledFor: iso(24 * HOUR), queue: false });
    expect(begun).toMatchObject({
      text: 'Ding dnog',
      tags: 'bells',
      when: 'time',
      ...localTimeOf(iso(24 * HOUR)),
      drafts: {},
      savedAs: null,
      approval: { postId, requestedBy: 'A key', plan },
    });
  });

  it.each([
    ['the next free slot', { queue: true }, 'queue'],
    ['now when no time was asked for', {}, 'now'],
    ['now when the time has passed, as approving does', { scheduledFor: iso(HOUR) }, 'now'],
  ])('%s', async (_what, fields, when) => {
    const { post, postId } = await asked(fields);

    const begun = beginningOf(await post(), { draft: postId }, nowMs() + 2 * HOUR);

    expect([begun.when, begun.time]).toEqual([when, '']);
  });

  it('the time of the address, which is newer', async () => {
    const { post, postId } = await asked({ queue: true });

    const begun = beginningOf(await post(), { draft: postId, time: iso(48 * HOUR) }, nowMs());

    expect(begun).toMatchObject({ when: 'time', ...localTimeOf(iso(48 * HOUR)) });
  });

  it('the post again once the agent has asked anew, and else with what was written', async () => {
    const { post, postId } = await asked();
    const begun = beginningOf(await post(), { draft: postId }, nowMs());
    const before = isBegunFrom({ ...begun, text: 'Ding dong' }, await post());
    world.clock.advance(1_000);
    await world.rest(`POST /posts/${postId}/publish`, { key: agent, body: {} });

    expect([before, isBegunFrom(begun, await post())]).toEqual([true, false]);
  });

  it('a draft that is saved again when its request was decided', async () => {
    const { post, postId } = await asked();
    await world.rest(`POST /posts/${postId}/reject`, { key, body: { reason: 'No.' } });
    const { connectionId } = await post();

    const begun = beginningOf(await post(), { draft: postId }, nowMs());

    expect(begun).toMatchObject({ when: 'now', drafts: { [connectionId]: postId }, approval: null });
  });
});

describe('a draft that the console has read before', () => {
  /** The page of a draft was shown, and Compose opens it next. */
  async function shownBefore() {
    const body = { text: 'Ding', connectionSlugs: [world.sandboxSlug], isDraft: true };
    const draft: string = (await world.rest('POST /posts', { body })).body.results[0].postId;
    const queryClient = createQueryClient(() => undefined);
    onTestFinished(() => queryClient.clear());
    const client = createTRPCClient<AppRouter>({
      links: [httpLink({ url: `${world.url}/trpc`, headers: { 'x-api-key': key } })],
    });
    const trpc = createTRPCOptionsProxy({ client, queryClient }) as unknown as Trpc;
    await queryClient.fetchQuery(trpc.posts.get.queryOptions({ postId: draft }));
    const open = () => {
      const observer = new QueryObserver(queryClient, readingOf(trpc, { draft }) as never);
      onTestFinished(observer.subscribe(() => undefined));
      return () => observer.getCurrentResult() as Parameters<typeof readPost>[0];
    };
    return { draft, open };
  }

  it('is read again before Compose begins with it', async () => {
    const { draft, open } = await shownBefore();
    await world.rest(`PATCH /posts/${draft}`, { body: { text: 'Dong' } });

    const reading = open();

    expect(readPost(reading())).toBeUndefined();
    await expect.poll(() => readPost(reading())?.originalText).toBe('Dong');
  });

  it('begins nothing when that read fails', async () => {
    const { draft, open } = await shownBefore();
    await world.rest(`DELETE /posts/${draft}`);

    const reading = open();

    await expect.poll(() => reading().error).not.toBeNull();
    expect([reading().data?.post.id, readPost(reading())]).toEqual([draft, undefined]);
  });
});
