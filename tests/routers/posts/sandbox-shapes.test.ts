/**
 * Tries the limits of the contract with a test key on the sandbox: five images, 24 replies and failing replies
 * (docs/contract/platforms.md#sandbox, docs/contract/posts.md#drafts-without-a-connection).
 */
import { describe, expect, it } from 'vitest';
import { PLATFORM_IDS } from '../../../platforms/registry.ts';
import { plain } from '../../harness/images.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const key = world.testKey;

async function upload(): Promise<string> {
  const raw = await plain(12, 8).png().toBuffer();
  return (await world.rest('POST /media', { raw, headers: { 'content-type': 'image/png' }, key })).body.media.id;
}

async function uploads(count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await upload());
  return ids;
}

async function post(text: string, more: object = {}) {
  const body = { text, connectionSlugs: [world.sandboxSlug], ...more };
  const answer = await world.rest('POST /posts', { key, body });
  return answer.body.results?.[0] ?? answer.body;
}

/** The published posts and replies whose text contains the word. */
const up = async (word: string) =>
  (
    await world.sql<{ text: string }>(
      'select text from sandbox_posts where deleted_at is null and text like $1 order by id',
      [`%${word}%`],
    )
  ).map(({ text }) => text);

async function steps(postId: string): Promise<string[]> {
  const { body } = await world.rest(`GET /posts/${postId}/attempts`, { key });
  return body.attempts.map(
    ({ step, index, state }: { step: string; index: number; state: string }) => `${step} ${index} ${state}`,
  );
}

describe('the sandbox', () => {
  it('accepts five images', async () => {
    const result = await post('five', { mediaIds: await uploads(5) });

    expect([result.status, result.error]).toEqual(['sent', null]);
    const page = await (await fetch(`${world.url}${new URL(result.url).pathname}`)).text();
    expect(page.match(/class="post-image"/g)).toHaveLength(5);
  });

  it('accepts 24 replies, and shows them under their post in order', async () => {
    const thread = Array.from({ length: 24 }, (_, index) => `reply ${index + 1} of 24`);

    const result = await post('head of 24', { thread });

    expect(result).toMatchObject({ status: 'sent', threadCount: 24, error: null });
    const { pathname } = new URL(result.url);
    for (const path of [pathname, pathname.slice(0, pathname.lastIndexOf('/'))]) {
      const page = await (await fetch(`${world.url}${path}`)).text();
      const shown = [...page.matchAll(/<p class="post-text" dir="auto">([^<]* of 24[^<]*)<\/p>/g)].map(
        ([, text]) => text,
      );
      expect(shown).toEqual(['head of 24', ...thread]);
    }
    const [reply] = await world.sql<{ id: string }>(`select id from sandbox_posts where text = 'reply 3 of 24'`);
    const own = await (await fetch(`${world.url}${pathname.replace(/[^/]+$/, reply!.id)}`)).text();
    expect(own).toContain(`<a href="${pathname}">The post that this replies to</a>`);
  });

  it('refuses a 25th reply and a sixth image', async () => {
    const thread = Array.from({ length: 25 }, () => 'reply');
    const images = await uploads(6);

    expect(await post('too many', { thread })).toMatchObject({
      error: 'invalid_request',
      message: 'thread: expected at most 24 items.',
    });
    expect(await post('too many', { mediaIds: images })).toMatchObject({
      error: 'invalid_request',
      message: 'mediaIds: expected at most 5 items.',
    });
  });

  it('deletes a thread again, newest part first, when a reply asks for a rejection', async () => {
    const result = await post('scripted head', {
      thread: ['scripted one', 'scripted two [[reject]]', 'scripted three'],
    });

    expect(result).toMatchObject({ status: 'failed', error: { code: 'platform_rejected' } });
    expect(await up('scripted')).toEqual([]);
    expect(await steps(result.postId)).toEqual([
      'head 0 accepted',
      'reply 0 accepted',
      'reply 1 rejected',
      'delete 1 accepted',
      'delete 0 accepted',
    ]);
  });

  it('leaves parts published that it cannot delete', async () => {
    const result = await post('sticky head', { thread: ['sticky one [[refuse-delete]]', 'sticky two [[reject]]'] });

    expect(result).toMatchObject({ status: 'sent', threadCount: 1 });
    expect(await up('sticky')).toEqual(['sticky head', 'sticky one [[refuse-delete]]']);
  });

  it('finds a reply whose answer was lost', async () => {
    const result = await post('lossy head', { thread: ['lossy one [[lost]]', 'lossy two'] });

    expect(result).toMatchObject({ status: 'sent', threadCount: 2 });
    expect(await up('lossy')).toEqual(['lossy head', 'lossy one [[lost]]', 'lossy two']);
  });

  it('deletes replies newest first with their post, and stops at the first refusal', async () => {
    const deletable = await post('doomed head', { thread: ['doomed one', 'doomed two'] });
    const undeletable = await post('clinging head', { thread: ['clinging one [[refuse-delete]]', 'clinging two'] });

    const deleted = await world.rest(`DELETE /posts/${deletable.postId}`, { key });
    const refused = await world.rest(`DELETE /posts/${undeletable.postId}`, { key });

    expect([deleted.status, await up('doomed')]).toEqual([200, []]);
    expect((await steps(deletable.postId)).slice(-3)).toEqual([
      'delete 2 accepted',
      'delete 1 accepted',
      'delete 0 accepted',
    ]);
    expect([refused.status, refused.body.error]).toEqual([422, 'platform_rejected']);
    expect(await up('clinging')).toEqual(['clinging head', 'clinging one [[refuse-delete]]']);
  });
});

describe('GET /platforms', () => {
  it('lists no limit above the request limits', async () => {
    const { body } = await world.rest('GET /platforms', { key });

    const limits = body.platforms.flatMap(
      ({ images }: { images: { max: number; maxBytes: number; altTextMax: number | null } | null }) =>
        images === null ? [] : [images],
    );
    expect(body.platforms).toHaveLength(PLATFORM_IDS.length);
    expect(limits.filter(({ max }: { max: number }) => max > 5)).toEqual([]);
    expect(limits.filter(({ maxBytes }: { maxBytes: number }) => maxBytes > 8_388_608)).toEqual([]);
    expect(limits.filter(({ altTextMax }: { altTextMax: number | null }) => (altTextMax ?? 0) > 1000)).toEqual([]);
  });
});

describe('the same image twice in one post', () => {
  it('is invalid_request with its id, in every field that lists images', async () => {
    const id = await upload();
    const { postId } = await post('draft', { isDraft: true });
    const content = { text: 'Twice', connectionSlugs: [world.sandboxSlug] };
    const [ids, items] = [{ mediaIds: [id, id] }, { media: [{ id }, { id: id.toUpperCase(), altText: 'Again' }] }];

    const answers = [
      await world.rest('POST /posts', { key, body: { ...content, ...ids } }),
      await world.rest('POST /posts', { key, body: { ...content, ...items } }),
      await world.rest('POST /posts/validate', { key, body: { ...content, ...ids } }),
      await world.rest(`PATCH /posts/${postId}`, { key, body: ids }),
      await world.rest(`PATCH /posts/${postId}`, { key, body: items }),
    ];

    const message = `media: the image "${id}" is listed twice; list each image once.`;
    expect(answers.map(({ status, body }) => [status, body.error, body.message])).toEqual(
      answers.map(() => [400, 'invalid_request', message]),
    );
  });
});
