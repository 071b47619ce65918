/**
 * Telegram posts through the REST API: a post can need several messages, counts as one post, and is never sent twice.
 */
import { inspect } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { telegram } from '../../../platforms/telegram/index.ts';
import { animation, plain } from '../../harness/images.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeTelegram } from '../../platforms/fakes/fake-telegram.ts';
import { testIo } from '../../platforms/harness.ts';

const server = await startFakeTelegram({ now: () => START });
const world = await startWorld({ env: { TELEGRAM_API_URL: server.url } });
afterAll(() => server.close());

const TOKEN = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11';
const LONG = 'y'.repeat(1_025);
const credentials = { botToken: TOKEN, chatId: '@thebells' };

server.bots.set(TOKEN, { id: 123456, username: 'bells_bot' });
server.addChat({ id: -1001234567890, type: 'channel', title: 'The Bells', username: 'thebells' });

beforeAll(async () => {
  await world.rest('POST /connections', { body: { platformId: 'telegram', slug: 'channel', credentials } });
});
beforeEach(() => server.clear());

async function upload(bytes: Buffer, type: string): Promise<string> {
  const { body } = await world.rest('POST /media?altText=Not%20shown', {
    raw: bytes,
    headers: { 'content-type': `image/${type}` },
  });
  return body.media.id;
}
const picture = async () => upload(await plain(9, 9).png().toBuffer(), 'png');
const gif = async () => upload(await (await animation(3)).gif().toBuffer(), 'gif');

async function post(fields: object) {
  const { body } = await world.rest('POST /posts', { body: { connectionSlugs: ['channel'], ...fields } });
  return body.results[0];
}

/** Resets a post to the state in which its process died during the first call. */
async function cutOff(postId: string): Promise<void> {
  await world.sql(
    `update attempts set state = 'sending', settled_at = null, platform_post_id = null where post_id = $1`,
    [postId],
  );
  await world.sql(
    `update posts set status = 'processing', claim = gen_random_uuid(), claimed_until = $2 where id = $1`,
    [postId, new Date(START.getTime() - 1)],
  );
}

const texts = () => server.messages().map(({ text }) => text);
const kinds = () => server.messages().map(({ file }) => file?.kind ?? 'text');

describe('images', () => {
  it('and a text too long for a caption are one post, with one row, and one delete deletes all messages', async () => {
    const result = await post({ text: LONG, mediaIds: [await picture(), await gif(), await picture()] });

    expect(result).toMatchObject({ status: 'sent', url: expect.stringMatching(/^https:\/\/t\.me\/thebells\/\d+$/) });
    expect(kinds()).toEqual(['photo', 'photo', 'photo', 'text']);
    expect(texts()).toEqual(['', '', '', LONG]);
    const { body } = await world.rest(`GET /posts/${result.postId}/attempts`);
    expect(body.attempts.map(({ step, state }: { step: string; state: string }) => [step, state])).toEqual([
      ['head', 'accepted'],
    ]);

    await world.rest(`DELETE /posts/${result.postId}`);

    expect(server.messages()).toEqual([]);
  });

  it('in an album are not animated, although one is a GIF', async () => {
    await post({ text: 'still', mediaIds: [await gif(), await picture()] });

    expect(server.messages().map(({ file }) => [file?.kind, file?.type])).toEqual([
      ['photo', 'image/webp'],
      ['photo', 'image/png'],
    ]);
  });

  it('are animated when the only image is a GIF', async () => {
    await post({ text: 'moving', mediaIds: [await gif()] });

    const [message] = server.messages();
    expect([message?.text, message?.file?.kind]).toEqual(['moving', 'animation']);
    expect((await sharp(message?.file?.bytes).metadata()).pages).toBe(3);
  });
});

describe('a thread that is refused partway', () => {
  it('is deleted together with its album', async () => {
    server.faults.push(undefined, undefined, { status: 400, description: 'Bad Request: CHAT_WRITE_FORBIDDEN' });

    const result = await post({
      text: 'head',
      mediaIds: [await picture(), await picture()],
      thread: ['one', 'two'],
    });

    expect(result).toMatchObject({ status: 'failed', threadCount: 0, error: { code: 'reconnect_required' } });
    expect(server.messages()).toEqual([]);
  });
});

describe('a send that was interrupted', () => {
  it('by the end of its process is not repeated, because its outcome is unknown', async () => {
    const { postId } = await post({ text: LONG, mediaIds: [await picture()] });
    await cutOff(postId);

    await world.runDue();

    const { body } = await world.rest(`GET /posts/${postId}`);
    expect([body.post.status, body.post.error.code]).toEqual(['failed', 'outcome_unknown']);
    expect(kinds()).toEqual(['photo', 'text']);
  });

  it('between its images and its text leaves the images published, with an unknown outcome', async () => {
    server.faults.push(undefined, 'drops_before');

    const result = await post({ text: LONG, mediaIds: [await picture()] });

    expect(result).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown' } });
    expect(kinds()).toEqual(['photo']);
  });
});

describe('the token of the bot', () => {
  it.each([
    ['no server answers', 'http://127.0.0.1:1', TOKEN],
    ['what answers is not Telegram', world.url, TOKEN],
    ['the address is one that is never called', 'http://10.0.0.8', TOKEN],
    ['Telegram does not know it', server.url, `${TOKEN}0`],
  ])('does not appear in the failure or its causes when %s', async (_case, url, botToken) => {
    const io = { ...testIo(() => START, { TELEGRAM_API_URL: url }), fetch: world.context.fetch };

    const failure = await telegram.connectAccount({ ...credentials, botToken }, io).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(Error);
    expect(inspect(failure, { depth: 10, showHidden: true })).not.toContain(TOKEN);
  });
});
