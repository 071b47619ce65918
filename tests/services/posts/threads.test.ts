/** Threads: replies in order, the outcome of a refused reply, and the recovery of an interrupted thread. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { storeDiscord } from '../../harness/connections.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeBluesky } from '../../platforms/fakes/fake-bluesky.ts';
import { startFakeMastodon } from '../../platforms/fakes/fake-mastodon.ts';
import { startFakeX } from '../../platforms/fakes/fake-x.ts';

const now = () => START;
const blueskyServer = await startFakeBluesky({ now });
const mastodonServer = await startFakeMastodon({ now });
const xServer = await startFakeX({ now });
const world = await startWorld({ env: { BLUESKY_SERVICE_URL: blueskyServer.url, X_API_URL: xServer.url } });
afterAll(() => Promise.all([blueskyServer.close(), mastodonServer.close(), xServer.close()]));

blueskyServer.addAccount('alice.test', 'abcd-efgh-ijkl-mnop');
mastodonServer.addAccount('alice', 'token-of-alice');
xServer.addAccount('alice', 'token-of-alice');
await world.rest('POST /connections', {
  body: {
    platformId: 'bluesky',
    slug: 'sky',
    credentials: { identifier: 'alice.test', appPassword: 'abcd-efgh-ijkl-mnop' },
  },
});
await world.rest('POST /connections', {
  body: {
    platformId: 'mastodon',
    slug: 'masto',
    credentials: { instanceUrl: mastodonServer.url, accessToken: 'token-of-alice' },
  },
});

await world.rest('POST /connections', {
  body: { platformId: 'x', slug: 'ex', credentials: { accessToken: 'token-of-alice' } },
});

/** Allows this many create calls before the fault. */
function faultAfter(server: { faults: unknown[] }, passing: number, fault: string): void {
  server.faults.push(...Array.from({ length: passing }, () => undefined), fault);
}

async function post(slug: string, text: string, thread: string[]) {
  const { body } = await world.rest('POST /posts', { body: { text, connectionSlugs: [slug], thread } });
  return body.results[0];
}

async function steps(postId: string) {
  const { body } = await world.rest(`GET /posts/${postId}/attempts`);
  return body.attempts.map(
    ({ step, index, state }: { step: string; index: number; state: string }) => `${step} ${index} ${state}`,
  );
}

const existing = (server: { posts(): { text: string }[] }, word: string) =>
  server
    .posts()
    .map(({ text }) => text)
    .filter((text) => text.includes(word));

beforeEach(() => {
  blueskyServer.faults.length = 0;
  mastodonServer.faults.length = 0;
  xServer.faults.length = 0;
});

describe('a thread', () => {
  it('is published in order on Bluesky, every reply under the previous one and under the head', async () => {
    const result = await post('sky', 'sky head', ['sky one', 'sky two']);

    expect(result).toMatchObject({ status: 'sent', threadCount: 2, error: null });
    const [head, one, two] = blueskyServer.posts().slice(-3);
    const ref = (record: typeof head) => ({ uri: record?.uri, cid: record?.cid });
    expect([head?.record.text, one?.record.text, two?.record.text]).toEqual(['sky head', 'sky one', 'sky two']);
    expect(one?.record.reply).toEqual({ root: ref(head), parent: ref(head) });
    expect(two?.record.reply).toEqual({ root: ref(head), parent: ref(one) });
    expect(await steps(result.postId)).toEqual(['head 0 accepted', 'reply 0 accepted', 'reply 1 accepted']);
  });

  it('is published in order on Mastodon', async () => {
    const result = await post('masto', 'masto head', ['masto one', 'masto two']);

    expect(result).toMatchObject({ status: 'sent', threadCount: 2, error: null });
    const [head, one, two] = mastodonServer.posts().slice(-3);
    expect([head?.inReplyToId, one?.inReplyToId, two?.inReplyToId]).toEqual([null, head?.id, one?.id]);
  });

  it('is published in order on X', async () => {
    const result = await post('ex', 'x head', ['x one', 'x two']);

    expect(result).toMatchObject({ status: 'sent', threadCount: 2, error: null });
    const [head, one, two] = xServer.posts().slice(-3);
    expect([head?.parentId, one?.parentId, two?.parentId]).toEqual([null, head?.id, one?.id]);
  });

  it('is refused for a connection whose platform has none, and stores nothing', async () => {
    const [account] = await world.sql<{ id: string }>('select id from accounts');
    const { slug } = await storeDiscord(world, account!.id, 'channel');

    const result = await post(slug, 'head', ['reply']);

    expect([result.status, result.postId, result.error.code]).toEqual(['failed', null, 'shape_unsupported']);
  });

  it('is refused before anything is sent when one reply is too long', async () => {
    const result = await post('sky', 'never out', ['fits', 'x'.repeat(301)]);

    expect([result.postId, result.error.message]).toEqual([null, expect.stringMatching(/^thread\.1: .*301.*300/)]);
    expect(blueskyServer.posts().some(({ record }) => record.text === 'never out')).toBe(false);
  });

  it('is deleted newest first', async () => {
    const { postId } = await post('masto', 'doomed head', ['doomed one', 'doomed two']);

    const { body } = await world.rest(`DELETE /posts/${postId}`);

    expect(body).toEqual({ id: postId, status: 'deleted', deletedAt: START.toISOString() });
    expect(existing(mastodonServer, 'doomed')).toEqual([]);
    expect((await steps(postId)).slice(3)).toEqual(['delete 2 accepted', 'delete 1 accepted', 'delete 0 accepted']);
  });
});

describe('a thread refused partway', () => {
  it('is deleted on Mastodon, including the head, and the post fails with the refusal', async () => {
    faultAfter(mastodonServer, 2, 'rate_limited');

    const result = await post('masto', 'partway head', ['partway one', 'partway two', 'partway three']);

    expect(result).toMatchObject({
      status: 'failed',
      threadCount: 0,
      url: null,
      error: { code: 'platform_unavailable' },
    });
    expect(existing(mastodonServer, 'partway')).toEqual([]);
    expect(await steps(result.postId)).toEqual([
      'head 0 accepted',
      'reply 0 accepted',
      'reply 1 unavailable',
      'delete 1 accepted',
      'delete 0 accepted',
    ]);
  });

  it('is deleted on X, with X’s own error message', async () => {
    const result = await post('ex', 'ex head', ['ex one', '$ABC ex $DEF']);

    expect(result).toMatchObject({
      status: 'failed',
      threadCount: 0,
      url: null,
      error: {
        code: 'platform_rejected',
        message: expect.stringContaining('You are not permitted to perform this action.') as string,
      },
    });
    expect(existing(xServer, 'ex')).toEqual([]);
  });

  it('stays published on Bluesky with the published count, and the post is sent', async () => {
    faultAfter(blueskyServer, 2, 'rate_limited');

    const result = await post('sky', 'kept head', ['kept one', 'kept two']);

    expect(result).toMatchObject({ status: 'sent', threadCount: 1, error: null });
    expect(blueskyServer.posts().filter(({ record }) => record.text.startsWith('kept')).length).toBe(2);
  });

  it('continues if only the answer of a reply was lost', async () => {
    faultAfter(mastodonServer, 1, 'drops_after');

    const result = await post('masto', 'lost head', ['lost one', 'lost two']);

    expect(result).toMatchObject({ status: 'sent', threadCount: 2 });
    expect(existing(mastodonServer, 'lost')).toEqual(['lost head', 'lost one', 'lost two']);
  });
});

describe('a thread interrupted by the end of its process', () => {
  /** Resets a sent thread to the state in which a worker died after `accepted` parts. */
  async function cutOff(postId: string, accepted: number): Promise<void> {
    await world.sql(
      `delete from attempts where id in (select id from attempts where post_id = $1 order by id offset $2)`,
      [postId, accepted],
    );
    await world.sql(
      `update posts set status = 'processing', claim = gen_random_uuid(), claimed_until = $2 where id = $1`,
      [postId, new Date(START.getTime() - 1)],
    );
  }

  it('continues at the right reply and creates no part twice', async () => {
    const { postId } = await post('sky', 'resumed head', ['resumed one']);
    await world.sql(`update posts set thread = array['resumed one', 'resumed two'] where id = $1`, [postId]);
    await cutOff(postId, 2);

    await world.runDue();

    const { body } = await world.rest(`GET /posts/${postId}`);
    expect(body.post.status).toBe('sent');
    const texts = blueskyServer
      .posts()
      .map(({ record }) => record.text)
      .filter((text) => text.startsWith('resumed'));
    expect(texts).toEqual(['resumed head', 'resumed one', 'resumed two']);
    expect(await steps(postId)).toEqual(['head 0 accepted', 'reply 0 accepted', 'reply 1 accepted']);
  });

  it('adopts the reply whose row was still open', async () => {
    const { postId } = await post('sky', 'adopted head', ['adopted one']);
    await world.sql(
      `update attempts set state = 'sending', settled_at = null, platform_post_id = null where post_id = $1 and step = 'reply'`,
      [postId],
    );
    await cutOff(postId, 2);

    await world.runDue();

    const texts = blueskyServer
      .posts()
      .map(({ record }) => record.text)
      .filter((text) => text.startsWith('adopted'));
    expect(texts).toEqual(['adopted head', 'adopted one']);
    expect(await steps(postId)).toEqual(['head 0 accepted', 'reply 0 accepted']);
  });

  it('is deleted completely if its deletion had begun', async () => {
    faultAfter(mastodonServer, 2, 'rate_limited');
    const { postId } = await post('masto', 'halfway head', ['halfway one', 'halfway two']);
    await cutOff(postId, 3);
    await world.sql(`update posts set error_code = null, error_message = null where id = $1`, [postId]);

    await world.runDue();

    const { body } = await world.rest(`GET /posts/${postId}`);
    expect([body.post.status, body.post.error.code]).toEqual(['failed', 'platform_unavailable']);
    expect((await steps(postId)).slice(3)).toEqual(['delete 1 accepted', 'delete 0 accepted']);
  });
});
