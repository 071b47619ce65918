import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FetchInit, OutgoingImage, PlatformIo, Published, SendPart } from '../../platforms/contract.ts';
import type { DiscordApp } from '../../platforms/discord/settings.ts';
import { discord } from '../../platforms/discord/index.ts';
import { type FakeDiscord, type FakeDiscordError, startFakeDiscord } from './fakes/fake-discord.ts';
import { failureOf, headPart, sessionOf, StoppedClock, testIo } from './harness.ts';

const APP: DiscordApp = { clientId: 'our-app', clientSecret: 'our-secret', botToken: 'token-of-the-bot' };
const CHANNEL = { id: '700', guildId: '800', name: 'news', type: 0, position: 1 };
const TOKEN = discord.makeToken?.(new Date(0), '01a1fc82-69dc-702a-98c6-fd6076f14fb1') ?? '';
const PNG: OutgoingImage = {
  mediaId: 'm',
  bytes: Buffer.from('a picture'),
  contentType: 'image/png',
  width: 3,
  height: 2,
  altText: 'A bell',
};

let clock: StoppedClock;
let fake: FakeDiscord;
let webhook: ReturnType<FakeDiscord['addWebhook']>;

beforeEach(async () => {
  clock = new StoppedClock();
  fake = await startFakeDiscord({ now: clock.now });
  webhook = fake.addWebhook();
  fake.channels.push(CHANNEL);
});

afterEach(() => fake.close());

const io = (app: DiscordApp | null = APP) =>
  testIo(clock.now, { DISCORD_API_URL: fake.url }, undefined, { discord: app });
const urlOf = ({ id, token }: typeof webhook, root = 'https://discord.com/api') => `${root}/webhooks/${id}/${token}`;
const connect = (webhookUrl = urlOf(webhook)) => discord.connectAccount({ webhookUrl }, io(null));
const grant = async (granted: { webhookId: string; webhookToken: string } | { channelId: string; guildId: string }) =>
  discord.hosted?.alternative?.connectAccount(granted, io()) as ReturnType<typeof connect>;
const asWebhook = async () => sessionOf(await connect());
const asBot = async () => sessionOf(await grant({ channelId: CHANNEL.id, guildId: CHANNEL.guildId }));
type Session = Awaited<ReturnType<typeof asWebhook>>;

const part = (text: string, more: Partial<SendPart> = {}): SendPart => ({
  ...headPart(text, TOKEN, clock.now()),
  ...more,
});
const publish = (session: Session, sent: SendPart, with_ = io()) => discord.publish(session, sent, with_);
const lookFor = (session: Session, lost: SendPart, with_ = io()) =>
  discord.readBack?.(session, lost, with_) ?? Promise.reject(new Error('no readBack'));
const remove = (session: Session, published: Published) =>
  discord.remove?.(session, published, io()) ?? Promise.reject(new Error('no remove'));

/** Answers calls whose URL contains `path` with a given response, and passes the others on. */
function answering(path: string, answer: () => Response): PlatformIo {
  const passing = io();
  return {
    ...passing,
    fetch: async (url: string | URL, init: FetchInit = {}) =>
      String(url).includes(path) ? answer() : passing.fetch(url, init),
  };
}

describe('credentials', () => {
  it.each([
    ['https://discord.com/api/webhooks/123/aB-c_9', true],
    [' https://discord.com/api/v10/webhooks/123/abc/ ', true],
    ['https://canary.discord.com/api/webhooks/123/abc', true],
    ['https://discord.com/api/webhooks/123', false],
    ['https://discord.com/api/webhooks/123/abc/../../users', false],
    ['https://discord.com/api/webhooks/123/abc?thread_id=1', false],
    ['https://somebody@discord.com/api/webhooks/123/abc', false],
    ['ftp://discord.com/api/webhooks/123/abc', false],
    ['a webhook', false],
  ])('accepts or refuses %s', (webhookUrl, taken) => {
    expect(discord.credentials.safeParse({ webhookUrl }).success).toBe(taken);
  });

  it('do not accept a channel of the install’s bot, which would give access to everyone with a key', () => {
    expect(discord.credentials.safeParse({ channelId: '700', guildId: '800' }).success).toBe(false);
  });
});

describe('connecting a webhook', () => {
  it.each([
    'https://discord.com/api',
    'https://ptb.discord.com/api/v9',
    'https://discordapp.com/api',
    'https://canary.discordapp.com/api/v10',
  ])('accepts a URL at %s, and calls the configured server', async (root) => {
    expect(await connect(urlOf(webhook, root))).toEqual({
      platformAccountId: webhook.id,
      handle: 'The Bells',
      credential: {
        kind: 'webhook',
        webhookId: webhook.id,
        webhookToken: webhook.token,
        guildId: '800',
        channelId: '700',
      },
    });
  });

  it('accepts a URL on the configured server', async () => {
    expect(await connect(urlOf(webhook, `${fake.url}/api`))).toMatchObject({ platformAccountId: webhook.id });
  });

  it('returns an unnamed webhook under its id', async () => {
    const nameless = fake.addWebhook(null);

    expect(await connect(urlOf(nameless))).toMatchObject({ handle: nameless.id });
  });

  it.each(['https://discord.com.evil.example/api', 'http://discord.com/api', 'https://evil-discord.com/api'])(
    'refuses a URL at %s, without calling it or showing the token',
    async (root) => {
      const { kind, message } = await failureOf(connect(urlOf(webhook, root)));

      expect([kind, message]).toEqual([
        'rejected',
        expect.stringContaining('is not Discord: expected the URL of a webhook'),
      ]);
      expect(message).not.toContain(webhook.token);
      expect(fake.calls).toEqual({});
    },
  );

  it.each([
    ['is gone', () => fake.removeWebhook(webhook.id), 'Unknown Webhook'],
    ['has another token', () => void (webhook.token = 'another'), 'Invalid Webhook Token'],
  ])('refuses one that %s', async (_case, arrange, words) => {
    const url = urlOf(webhook);
    arrange();

    expect(await failureOf(connect(url))).toEqual({
      kind: 'reconnect',
      message: `Discord does not accept this credential: ${words}`,
    });
  });

  it('is unavailable when Discord cannot be reached', async () => {
    await fake.close();

    const { kind, message } = await failureOf(connect());

    expect(kind).toBe('unavailable');
    expect(message).not.toContain(webhook.token);
  });
});

describe('connecting a channel of the bot', () => {
  it('returns the channel and the bot’s user id', async () => {
    expect(await grant({ channelId: '700', guildId: '800' })).toEqual({
      platformAccountId: '700',
      handle: 'news',
      credential: { kind: 'bot', channelId: '700', guildId: '800', botId: '900' },
    });
  });

  it('refuses a channel of another server', async () => {
    expect(await failureOf(grant({ channelId: '700', guildId: '801' }))).toEqual({
      kind: 'rejected',
      message: 'The channel is on another server.',
    });
  });
});

describe('publish', () => {
  it('posts through the webhook, waits for the message, and notifies no one', async () => {
    const published = await publish(await asWebhook(), part('Hello @everyone'));

    const [message] = fake.messages();
    expect(message).toMatchObject({
      authorId: webhook.id,
      content: 'Hello @everyone',
      allowedMentions: { parse: [] },
      nonce: undefined,
    });
    expect(published).toEqual({
      platformPostId: message?.id,
      url: `https://discord.com/channels/800/700/${message?.id}`,
      ref: { channelId: '700', webhookId: webhook.id },
    });
  });

  it('posts as the bot, with a nonce of a valid length for Discord', async () => {
    await publish(await asBot(), part('Hello'));

    expect(fake.messages()).toMatchObject([{ authorId: '900', channelId: '700', content: 'Hello', nonce: TOKEN }]);
    expect(TOKEN).toMatch(/^[0-9a-f]{25}$/);
  });

  it('creates one message when a call as the bot is repeated', async () => {
    const session = await asBot();

    const first = await publish(session, part('once'));
    const second = await publish(session, part('once'));

    expect(second).toEqual(first);
    expect(fake.messages()).toHaveLength(1);
  });

  it.each([
    ['a webhook', asWebhook],
    ['the bot', asBot],
  ])('sends images and their alt text with the text, by %s', async (_case, open) => {
    const images = [PNG, { ...PNG, contentType: 'image/gif', altText: '' }];

    await publish(await open(), part('look', { prepared: {}, images }));

    const [message] = fake.messages();
    expect(message).toMatchObject({ content: 'look', allowedMentions: { parse: [] } });
    expect(message?.attachments).toEqual([
      { filename: 'image-1.png', description: 'A bell', type: 'image/png', bytes: PNG.bytes },
      { filename: 'image-2.gif', description: null, type: 'image/gif', bytes: PNG.bytes },
    ]);
  });

  it('sends nothing after the operator has removed the bot', async () => {
    const session = await asBot();

    for (const app of [null, { ...APP, botToken: undefined }]) {
      expect(await failureOf(publish(session, part('hello'), io(app)))).toMatchObject({ kind: 'unavailable' });
    }
    expect(fake.messages()).toEqual([]);
  });

  it('reports an unknown outcome for a message that Discord does not return', async () => {
    const silent = answering('/webhooks/', () => new Response(null, { status: 204 }));

    expect(await failureOf(publish(await asWebhook(), part('hello'), silent))).toEqual({
      kind: 'unknown',
      message: 'Discord answered HTTP 204.',
    });
  });
});

describe('a refusal', () => {
  it.each<[string, FakeDiscordError, string]>([
    ['the webhook is gone', { status: 404, code: 10_015, message: 'Unknown Webhook' }, 'reconnect'],
    ['the webhook has a new token', { status: 401, code: 50_027, message: 'Invalid Webhook Token' }, 'reconnect'],
    ['the channel is gone', { status: 404, code: 10_003, message: 'Unknown Channel' }, 'reconnect'],
    ['the server is gone', { status: 404, code: 10_004, message: 'Unknown Guild' }, 'reconnect'],
    ['the bot was put out', { status: 403, code: 50_001, message: 'Missing Access' }, 'reconnect'],
    ['the bot may not write', { status: 403, code: 50_013, message: 'Missing Permissions' }, 'reconnect'],
    ['the bot’s token is void', { status: 401, code: 0, message: '401: Unauthorized' }, 'reconnect'],
    [
      'the channel is a forum',
      { status: 400, code: 220_001, message: 'Webhooks posted to forum channels …' },
      'rejected',
    ],
    ['AutoMod blocks it', { status: 400, code: 200_000, message: 'Message was blocked by AutoMod' }, 'rejected'],
    [
      'a link is harmful',
      { status: 400, code: 240_000, message: 'Message blocked by harmful links filter' },
      'rejected',
    ],
    ['it is too large', { status: 413, code: 40_005, message: 'Request entity too large' }, 'rejected'],
    ['the channel is slow', { status: 429, code: 20_016, message: 'Slowmode', retry_after: 3 }, 'unavailable'],
    ['a guard stands before it', { status: 403, code: 40_333, message: 'internal network error' }, 'unavailable'],
    ['it broke', { status: 500, code: 0, message: '500: Internal Server Error' }, 'unknown'],
  ])('is classified when %s', async (_case, error, kind) => {
    const session = await asWebhook();
    fake.faults.push(error);

    const failure = await failureOf(publish(session, part('hello')));

    expect(failure.kind).toBe(kind);
    if (kind === 'rejected' || kind === 'reconnect') expect(failure.message).toContain(error.message);
  });

  it('names the problem of a field', async () => {
    expect(await failureOf(publish(await asWebhook(), part('x'.repeat(2_001))))).toEqual({
      kind: 'rejected',
      message: 'Discord refused: Must be 2000 or fewer in length.',
    });
  });

  it('with a retry time reports it in whole seconds', async () => {
    const session = await asWebhook();
    fake.faults.push('rate_limited');

    await expect(publish(session, part('hello'))).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'Discord answered HTTP 429, asking to wait 30 s; nothing was posted.',
      retryAfterMs: 30_000,
    });
  });

  it('in an HTML page counts for the statuses 429 and 413; otherwise the outcome is unknown', async () => {
    const session = await asWebhook();
    const page = (status: number) => answering('/webhooks/', () => new Response('<html>', { status }));

    expect(await failureOf(publish(session, part('hello'), page(429)))).toMatchObject({ kind: 'unavailable' });
    expect(await failureOf(publish(session, part('hello'), page(403)))).toMatchObject({ kind: 'unknown' });
    expect(await failureOf(publish(session, part('hello'), page(413)))).toMatchObject({ kind: 'rejected' });
  });

  it.each(['drops_before', 'drops_after', 'fails_before', 'fails_after'] as const)(
    'is not assumed when the outcome is unknown (%s)',
    async (fault) => {
      const session = await asWebhook();
      fake.faults.push(fault);

      expect(await failureOf(publish(session, part('hello')))).toMatchObject({ kind: 'unknown' });
    },
  );
});

describe('recovery', () => {
  it('is not available for a webhook; the bot may repeat for two minutes, and read back', async () => {
    const [webhookCredential, botCredential] = [(await asWebhook()).credential, (await asBot()).credential];

    expect(discord.recoveryOf?.(webhookCredential)).toEqual({ repeatWithinMs: 0, readBack: false });
    expect(discord.recoveryOf?.(botCredential)).toEqual({ repeatWithinMs: 120_000, readBack: true });
  });
});

describe('readBack', () => {
  it.each([true, false])('finds the bot’s message, with and without nonces in lists: %s', async (listsNonces) => {
    fake.listsNonces = listsNonces;
    const session = await asBot();
    const made = await publish(session, part('is it there?'));
    clock.advance(3_000);

    expect(
      await lookFor(session, part('is it there?', { startedAt: new Date(clock.now().getTime() - 3_000) })),
    ).toEqual(made);
  });

  it('ignores the same text of another author, of an earlier message, or with another nonce', async () => {
    const session = await asBot();
    fake.writeAs('555', '700', 'hello');
    await publish(session, part('hello', { token: 'another' }));
    clock.advance(60_000);
    expect(await lookFor(session, part('hello'))).toBeNull();

    fake.listsNonces = true;
    await publish(session, part('hello', { token: 'a third' }));
    expect(await lookFor(session, part('hello'))).toBeNull();
  });

  it('finds a text that Discord has trimmed', async () => {
    const session = await asBot();
    const made = await publish(session, part('hello \n'));

    expect(await lookFor(session, part('hello \n'))).toEqual(made);
  });

  it('cannot determine the outcome when Discord shows no messages of a channel that has some', async () => {
    const session = await asBot();
    expect(await lookFor(session, part('hello'))).toBeNull();
    await publish(session, part('hello'));
    fake.readsHistory = false;

    expect(await failureOf(lookFor(session, part('hello')))).toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('“Read Message History”'),
    });
  });

  it('cannot determine the outcome when there are a hundred newer messages', async () => {
    const session = await asBot();
    for (let count = 0; count < 100; count += 1) fake.writeAs('555', '700', `chatter ${count}`);

    expect(await failureOf(lookFor(session, part('hello')))).toMatchObject({ kind: 'unknown' });
  });

  it('cannot determine the outcome when Discord refuses to list messages', async () => {
    const session = await asBot();
    fake.channels.length = 0;

    expect(await failureOf(lookFor(session, part('hello')))).toMatchObject({ kind: 'reconnect' });
  });
});

describe('remove', () => {
  const mayBeUp = (why: string) => ({
    kind: 'rejected',
    message: `${why}, and may still be up: delete it on Discord.`,
  });

  it.each([
    ['a webhook', asWebhook],
    ['the bot', asBot],
  ])('deletes a message by %s, and finds it gone on a repeat', async (_case, open) => {
    const session = await open();
    const published = await publish(session, part('soon gone'));

    await remove(session, published);
    await remove(session, published);

    expect(fake.messages()).toEqual([]);
  });

  it('does not take a message for gone that its webhook no longer sees, in the channel that it has left', async () => {
    const session = await asWebhook();
    const published = await publish(session, part('still up'));
    fake.moveWebhook(published.ref?.['webhookId'] as string, '701');

    for (const post of [published, { ...published, ref: undefined }])
      expect(await failureOf(remove(session, post as Published))).toMatchObject(
        mayBeUp('The webhook of the message was moved to another channel'),
      );
    expect(fake.messages()).toHaveLength(1);
  });

  it('does not take a message for gone that was made with another webhook, also an older one of the channel', async () => {
    const older = await asWebhook();
    const session = sessionOf(await connect(urlOf(fake.addWebhook())));
    const ofBot = await publish(await asBot(), part('by the bot'));
    const published = await publish(session, part('still up'));

    for (const post of [published, ofBot])
      expect(await failureOf(remove(older, post))).toMatchObject(
        mayBeUp('The message was not made with the webhook that the connection has now'),
      );
    expect(fake.messages()).toHaveLength(2);
  });

  it.each<[FakeDiscordError, string]>([
    [{ status: 404, code: 10_015, message: 'Unknown Webhook' }, 'reconnect'],
    [{ status: 403, code: 50_013, message: 'Missing Permissions' }, 'rejected'],
    [{ status: 502, code: 0, message: 'Bad Gateway' }, 'unavailable'],
  ])('reports why it failed: %j', async (error, kind) => {
    const session = await asWebhook();
    fake.deleteErrors.push(error);

    expect(await failureOf(remove(session, { platformPostId: '1', url: null }))).toMatchObject({ kind });
  });
});
