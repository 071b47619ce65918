/** What the console does with a post whose status changed after the page read it. */
import { createTRPCClient, httpLink } from '@trpc/client';
import { describe, expect, it } from 'vitest';
import type { Api } from '../../console/app/data/api-types.ts';
import { problemOf } from '../../console/app/data/problem.ts';
import { POST_ACTIONS } from '../../console/app/views/posts/post-actions.ts';
import { accountWithSandbox } from '../harness/connections.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();

/** An account with a sandbox, and the client that the console has of it. */
async function account() {
  const { key } = await accountWithSandbox(world);
  const api: Api = createTRPCClient({ links: [httpLink({ url: `${world.url}/trpc`, headers: { 'x-api-key': key } })] });
  const write = async (fields: Partial<Parameters<Api['posts']['create']['mutate']>[0]>) => {
    const { results } = await api.posts.create.mutate({ text: 'Ding', connectionSlugs: ['sandbox'], ...fields });
    return results[0]?.postId ?? '';
  };
  const statusOf = async (postId: string) => (await api.posts.get.query({ postId })).post.status;
  return { api, write, statusOf };
}

const inAMinute = () => new Date(world.clock.now().getTime() + 60_000).toISOString();

/** The message of a refused action; null when it was carried out. */
async function refusalOf(action: Promise<unknown>): Promise<string | null> {
  return action.then(
    () => null,
    (failure: unknown) => problemOf(failure).message,
  );
}

describe('a post that the page shows as scheduled', () => {
  it('stays up when it went out before the cancel', async () => {
    const { api, write, statusOf } = await account();
    const postId = await write({ scheduledFor: inAMinute() });
    await world.advance(120_000);

    const refusal = await refusalOf(POST_ACTIONS.cancel.run(api, postId));

    expect(await statusOf(postId)).toBe('sent');
    expect(refusal).toBe('The post is sent, not scheduled, so it stays as it is.');
  });

  it('is cancelled, also when someone else was faster', async () => {
    const { api, write, statusOf } = await account();
    const postId = await write({ scheduledFor: inAMinute() });

    const refusals = [
      await refusalOf(POST_ACTIONS.cancel.run(api, postId)),
      await refusalOf(POST_ACTIONS.cancel.run(api, postId)),
    ];

    expect([refusals, await statusOf(postId)]).toEqual([[null, null], 'cancelled']);
  });
});

describe('a post that the page shows as a draft', () => {
  it.each([
    ['scheduled', () => ({ scheduledFor: inAMinute() })],
    ['sent', () => ({})],
  ])('is not deleted when it was published before and is %s', async (status, when) => {
    const { api, write, statusOf } = await account();
    const postId = await write({ isDraft: true });
    await api.posts.publish.mutate({ postId, ...when() });

    const refusal = await refusalOf(POST_ACTIONS.deleteDraft.run(api, postId));

    expect(await statusOf(postId)).toBe(status);
    expect(refusal).toBe(`The post is ${status}, not draft, so it stays as it is.`);
  });
});
