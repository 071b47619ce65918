import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OutgoingImage, PlatformIo, Published, SendPart } from '../../platforms/contract.ts';
import { telegram } from '../../platforms/telegram/index.ts';
import {
  ADMINISTRATOR,
  type FakeChat,
  type FakeMember,
  type FakeRefusal,
  type FakeTelegram,
  startFakeTelegram,
} from './fakes/fake-telegram.ts';
import { failureOf, headPart, sessionOf, StoppedClock, testIo } from './harness.ts';

const TOKEN = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11';
const CHANNEL = -1001234567890;
const PNG: OutgoingImage = {
  mediaId: 'm',
  bytes: Buffer.from('a picture'),
  contentType: 'image/png',
  width: 3,
  height: 2,
  altText: '',
};
const GIF: OutgoingImage = { ...PNG, bytes: Buffer.from('an animation'), contentType: 'image/gif' };
/** One character more than a caption may have. */
const LONG = 'y'.repeat(1_025);

let clock: StoppedClock;
let fake: FakeTelegram;
let channel: FakeChat;
let waits: number[];

beforeEach(async () => {
  clock = new StoppedClock();
  waits = [];
  fake = await startFakeTelegram({ now: clock.now });
  fake.bots.set(TOKEN, { id: 123456, username: 'bells_bot' });
  channel = fake.addChat({ id: CHANNEL, type: 'channel', title: 'The Bells', username: 'thebells' });
});

afterEach(() => fake.close());

function io(timeoutMs?: number): PlatformIo {
  const plain = testIo(clock.now, { TELEGRAM_API_URL: fake.url }, timeoutMs);
  return { ...plain, sleep: async (ms) => void waits.push(ms) };
}
const connect = (chatId: string | number = '@thebells', botToken = TOKEN) =>
  telegram.connectAccount({ botToken, chatId }, io());
const open = async (chatId?: string | number) => sessionOf(await connect(chatId));
type Session = Awaited<ReturnType<typeof open>>;

const part = (text: string, more: Partial<SendPart> = {}): SendPart => ({
  ...headPart(text, 'attempt-1', clock.now()),
  ...more,
});
const publish = (session: Session, sent: SendPart, with_ = io()) => telegram.publish(session, sent, with_);
const remove = (session: Session, published: Published) =>
  telegram.remove?.(session, published, io()) ?? Promise.reject(new Error('no remove'));
const texts = () => fake.messages().map(({ text }) => text);

describe('credentials', () => {
  it.each([
    [{ botToken: TOKEN, chatId: '@thebells' }, true],
    [{ botToken: ` ${TOKEN} `, chatId: ' -1001234567890 ' }, true],
    [{ botToken: TOKEN, chatId: CHANNEL }, true],
    [{ botToken: 'not a token', chatId: '@thebells' }, false],
    [{ botToken: `${TOKEN}/../x`, chatId: '@thebells' }, false],
    [{ botToken: TOKEN, chatId: 'thebells' }, false],
    [{ botToken: TOKEN, chatId: 1.5 }, false],
    [{ botToken: TOKEN }, false],
    [{ botToken: TOKEN, chatId: '@thebells', parseMode: 'HTML' }, false],
  ])('accepts or refuses %j', (input, taken) => {
    expect(telegram.credentials.safeParse(input).success).toBe(taken);
  });
});

describe('connectAccount', () => {
  it.each(['@thebells', String(CHANNEL), CHANNEL])('returns the chat %s by its id', async (chatId) => {
    expect(await connect(chatId)).toEqual({
      platformAccountId: String(CHANNEL),
      handle: 'thebells',
      credential: { botToken: TOKEN, chatId: String(CHANNEL) },
    });
  });

  it('returns a chat without a username under its title, and a person under their name', async () => {
    fake.addChat({ id: -77, type: 'group', title: 'Ringers', member: { status: 'member' } });
    fake.addChat({ id: 42, type: 'private', first_name: 'Alice' });

    expect([(await connect('-77')).handle, (await connect('42')).handle]).toEqual(['Ringers', 'Alice']);
  });

  it('follows a group that was upgraded', async () => {
    fake.addChat({ id: -77, type: 'group', title: 'Ringers', movedTo: -1007 });
    fake.addChat({ id: -1007, type: 'supergroup', title: 'Ringers' });

    expect(await connect('-77')).toMatchObject({ platformAccountId: '-1007' });
  });

  it('refuses an unknown token, and does not show it', async () => {
    const unknown = '999:AAAAAAAAAAAAAAAAAAAAAAAAA';

    expect(await failureOf(connect('@thebells', unknown))).toEqual({
      kind: 'reconnect',
      message: 'Telegram does not let this bot do that: Unauthorized',
    });
  });

  it('refuses a chat that the bot cannot see, and says how to fix it', async () => {
    expect(await failureOf(connect('@elsewhere'))).toEqual({
      kind: 'rejected',
      message:
        'The bot @bells_bot does not see the chat @elsewhere: add it there, to a channel as an administrator who may post messages. Telegram says: Bad Request: chat not found',
    });
  });

  const CHANNEL_REMEDY =
    'The bot @bells_bot may not post in the channel The Bells: make it an administrator who may post messages.';

  it.each<[string, FakeMember]>([
    ['member only', { status: 'member' }],
    ['administrator without the right to post', { status: 'administrator', can_post_messages: false }],
    ['gone', { status: 'left' }],
  ])('refuses a channel in which the bot is %s', async (_case, member) => {
    channel.member = member;

    expect(await failureOf(connect())).toEqual({ kind: 'rejected', message: CHANNEL_REMEDY });
  });

  it.each<[string, Partial<FakeChat>, boolean]>([
    ['a member where members write', { member: { status: 'member' } }, true],
    [
      'a member where members do not write',
      { member: { status: 'member' }, permissions: { can_send_messages: false } },
      false,
    ],
    ['an administrator', { member: ADMINISTRATOR, permissions: { can_send_messages: false } }, true],
    ['its creator', { member: { status: 'creator' } }, true],
    ['restricted, and may write', { member: { status: 'restricted', is_member: true, can_send_messages: true } }, true],
    ['restricted', { member: { status: 'restricted', is_member: true, can_send_messages: false } }, false],
    ['restricted and gone', { member: { status: 'restricted', is_member: false, can_send_messages: true } }, false],
    ['kicked', { member: { status: 'kicked' } }, false],
  ])('checks the bot’s member status in a group: %s', async (_case, more, taken) => {
    fake.addChat({ id: -1007, type: 'supergroup', title: 'Ringers', ...more });
    const refused = {
      kind: 'rejected',
      message:
        'The bot @bells_bot may not post in the group Ringers: add it, and let members write or make it an administrator.',
    };

    const outcome = await connect('-1007').then(
      () => 'connected',
      () => failureOf(connect('-1007')),
    );

    expect(outcome).toEqual(taken ? 'connected' : refused);
  });

  it('is unavailable when Telegram cannot be reached, and does not show the token', async () => {
    await fake.close();

    const { kind, message } = await failureOf(connect());

    expect(kind).toBe('unavailable');
    expect(message).not.toContain(TOKEN);
  });
});

describe('publish', () => {
  it('posts the text unchanged', async () => {
    const text = '*not* _marked_ <b>up</b> & #tagged https://bells.example';

    const published = await publish(await open(), part(text));

    expect(texts()).toEqual([text]);
    expect(published).toEqual({
      platformPostId: `${CHANNEL}:1`,
      url: 'https://t.me/thebells/1',
      ref: { messageIds: [1] },
    });
    expect(fake.calls['sendMessage']).toBe(1);
  });

  it.each<[string, Omit<FakeChat, 'member'>, string | null]>([
    ['a private channel', { id: -1009876543210, type: 'channel', title: 'Quiet' }, 'https://t.me/c/9876543210/1'],
    ['a public group', { id: -1007, type: 'supergroup', username: 'ringers' }, 'https://t.me/ringers/1'],
    ['a basic group', { id: -77, type: 'group', title: 'Ringers' }, null],
    ['one person', { id: 42, type: 'private', username: 'alice' }, null],
  ])('returns the URL in %s', async (_case, chat, url) => {
    fake.addChat(chat);

    expect((await publish(await open(chat.id), part('hello'))).url).toBe(url);
  });

  it('replies to the previous message, a second later, and is also posted without it', async () => {
    const session = await open();
    const head = await publish(session, part('head'));

    await publish(session, part('reply', { step: 'reply', root: head, parent: head }));

    expect(fake.messages().map(({ text, replyTo }) => [text, replyTo])).toEqual([
      ['head', null],
      ['reply', 1],
    ]);
    expect(waits).toEqual([1_000]);
  });

  it('posts an image with the text as its caption', async () => {
    const published = await publish(await open(), part('look', { prepared: {}, images: [PNG] }));

    expect(fake.messages()).toEqual([
      {
        id: 1,
        chatId: CHANNEL,
        text: 'look',
        file: { kind: 'photo', type: 'image/png', bytes: PNG.bytes },
        replyTo: null,
      },
    ]);
    expect(published).toMatchObject({ platformPostId: `${CHANNEL}:1`, ref: { messageIds: [1] } });
  });

  it('posts a GIF as an animation', async () => {
    await publish(await open(), part('it moves', { images: [GIF] }));

    expect(fake.messages().map(({ text, file }) => [text, file?.kind])).toEqual([['it moves', 'animation']]);
  });

  it('posts several images as an album with the text under the first, as one post', async () => {
    const session = await open();

    const published = await publish(session, part('all of them', { images: [PNG, PNG, PNG] }));

    expect(texts()).toEqual(['all of them', '', '']);
    expect(published).toEqual({
      platformPostId: `${CHANNEL}:1`,
      url: 'https://t.me/thebells/1',
      ref: { messageIds: [1, 2, 3] },
    });
    await remove(session, published);
    expect(fake.messages()).toEqual([]);
  });

  it('posts a text that is too long for a caption after its images, as one post', async () => {
    const session = await open();

    const published = await publish(session, part(LONG, { images: [PNG, PNG] }));

    expect(texts()).toEqual(['', '', LONG]);
    expect(published).toMatchObject({ platformPostId: `${CHANNEL}:1`, ref: { messageIds: [1, 2, 3] } });
    await remove(session, published);
    expect(fake.messages()).toEqual([]);
  });

  it('uses a text of exactly 1024 units as the caption', async () => {
    await publish(await open(), part('x'.repeat(1_024), { images: [PNG] }));

    expect(fake.messages()).toHaveLength(1);
  });

  it('deletes the images when the text that follows them is refused', async () => {
    const session = await open();
    fake.faults.push(undefined, 'rate_limited');

    const failure = await failureOf(publish(session, part(LONG, { images: [PNG, PNG] })));

    expect(failure).toEqual({
      kind: 'unavailable',
      message: 'Telegram answered HTTP 429, asking to wait 30 s; nothing was posted.',
    });
    expect(fake.messages()).toEqual([]);
  });

  it('does not claim that nothing was published when the images stay', async () => {
    const session = await open();
    fake.faults.push(undefined, 'rate_limited');
    fake.deleteRefusals.push({ status: 400, description: 'Bad Request: message can’t be deleted' });

    const { kind, message } = await failureOf(publish(session, part(LONG, { images: [PNG] })));

    expect([kind, message]).toEqual(['unknown', expect.stringMatching(/^Its images are up and its text is not: /)]);
  });

  it.each(['drops_before', 'drops_after', 'fails_after'] as const)(
    'reports an unknown outcome when the response to the text is lost (%s), and keeps the images',
    async (fault) => {
      const session = await open();
      fake.faults.push(undefined, fault);

      expect(await failureOf(publish(session, part(LONG, { images: [PNG] })))).toMatchObject({ kind: 'unknown' });
      expect(fake.messages().length).toBeGreaterThan(0);
      expect(fake.calls['deleteMessages']).toBeUndefined();
    },
  );

  it('follows a group that is upgraded, once, and stores the new id', async () => {
    const group = fake.addChat({ id: -77, type: 'group', title: 'Ringers' });
    const session = await open('-77');
    group.movedTo = -1007;
    fake.addChat({ id: -1007, type: 'supergroup', title: 'Ringers' });

    await publish(session, part('after the move'));

    const stored = await session.renew(() => Promise.reject(new Error('it was renewed before')));
    expect(stored).toEqual({ botToken: TOKEN, chatId: '-1007' });
    expect(fake.messages().map(({ chatId, text }) => [chatId, text])).toEqual([[-1007, 'after the move']]);
  });

  it('keeps the old id when the new one does not exist either', async () => {
    const group = fake.addChat({ id: -77, type: 'group', title: 'Ringers' });
    const session = await open('-77');
    group.movedTo = -1008;

    expect(await failureOf(publish(session, part('lost')))).toMatchObject({ kind: 'reconnect' });
  });
});

describe('a refusal', () => {
  it.each<[string, FakeRefusal, string]>([
    ['the token is void', { status: 401, description: 'Unauthorized' }, 'reconnect'],
    [
      'the bot was put out',
      { status: 403, description: 'Forbidden: bot was kicked from the channel chat' },
      'reconnect',
    ],
    ['the bot was blocked', { status: 403, description: 'Forbidden: bot was blocked by the user' }, 'reconnect'],
    ['the chat is gone', { status: 400, description: 'Bad Request: chat not found' }, 'reconnect'],
    [
      'a right was taken away',
      { status: 400, description: 'Bad Request: need administrator rights in the channel chat' },
      'reconnect',
    ],
    [
      'images may not be sent',
      { status: 400, description: 'Bad Request: not enough rights to send photos to the chat' },
      'reconnect',
    ],
    ['the chat is closed to writing', { status: 400, description: 'Bad Request: CHAT_WRITE_FORBIDDEN' }, 'reconnect'],
    ['the text is too long', { status: 400, description: 'Bad Request: message is too long' }, 'rejected'],
    ['the image is odd', { status: 400, description: 'Bad Request: PHOTO_INVALID_DIMENSIONS' }, 'rejected'],
    ['too much was sent', { status: 413, description: 'Request Entity Too Large' }, 'rejected'],
    ['too many calls', { status: 429, description: 'Too Many Requests: retry after 5' }, 'unavailable'],
    ['it broke', { status: 500, description: 'Internal Server Error' }, 'unknown'],
  ])('is classified when %s', async (_case, refusal, kind) => {
    const session = await open();
    fake.faults.push(refusal);

    const failure = await failureOf(publish(session, part('hello')));

    expect(failure.kind).toBe(kind);
    if (kind !== 'unknown' && kind !== 'unavailable') expect(failure.message).toContain(refusal.description);
  });

  it('with a retry time reports it', async () => {
    const session = await open();
    fake.faults.push({ status: 429, description: 'Too Many Requests', parameters: { retry_after: 7 } });

    await expect(publish(session, part('hello'))).rejects.toMatchObject({ kind: 'unavailable', retryAfterMs: 7_000 });
  });

  it.each(['drops_before', 'drops_after', 'fails_before', 'fails_after', 'web_page'] as const)(
    'is not assumed when the outcome is unknown (%s)',
    async (fault) => {
      const session = await open();
      fake.faults.push(fault);

      expect(await failureOf(publish(session, part('hello')))).toMatchObject({ kind: 'unknown' });
    },
  );

  it('never shows the token, for any message', async () => {
    const session = await open();
    fake.faults.push({ status: 400, description: `Bad Request: ${TOKEN} is odd` });

    expect((await failureOf(publish(session, part('hello')))).message).toBe('Telegram refused: Bad Request: … is odd');
  });
});

describe('remove', () => {
  it('deletes a message, and finds it gone on a repeat', async () => {
    const session = await open();
    const published = await publish(session, part('soon gone'));

    await remove(session, published);
    await remove(session, published);

    expect(fake.messages()).toEqual([]);
  });

  it('counts a message as deleted when Telegram says that it is gone', async () => {
    const session = await open();
    fake.deleteRefusals.push({ status: 400, description: 'Bad Request: message to delete not found' });

    await expect(remove(session, { platformPostId: `${CHANNEL}:9`, url: null })).resolves.toBeUndefined();
  });

  it.each<[FakeRefusal, string]>([
    [{ status: 400, description: "Bad Request: message can't be deleted" }, 'rejected'],
    [{ status: 403, description: 'Forbidden: bot is not a member of the channel chat' }, 'rejected'],
    [{ status: 401, description: 'Unauthorized' }, 'reconnect'],
    [{ status: 502, description: 'Bad Gateway' }, 'unavailable'],
  ])('reports why it failed: %j', async (refusal, kind) => {
    const session = await open();
    fake.deleteRefusals.push(refusal);

    expect(await failureOf(remove(session, { platformPostId: `${CHANNEL}:9`, url: null }))).toMatchObject({ kind });
  });

  it('does not follow a group that was upgraded: there its id means another message', async () => {
    const group = fake.addChat({ id: -77, type: 'group', title: 'Ringers' });
    const session = await open('-77');
    const published = await publish(session, part('before the move'));
    group.movedTo = -1007;

    expect(await failureOf(remove(session, published))).toMatchObject({ kind: 'rejected' });
  });
});
