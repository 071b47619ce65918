/**
 * Telegram and Discord: every call of the adapters, and every answer of the fakes, against the platforms' own
 * descriptions.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OutgoingImage, PlatformIo, Published, SendPart } from '../../platforms/contract.ts';
import { discord } from '../../platforms/discord/index.ts';
import { telegram } from '../../platforms/telegram/index.ts';
import { startFakeDiscord } from '../platforms/fakes/fake-discord.ts';
import { startFakeTelegram } from '../platforms/fakes/fake-telegram.ts';
import { failureOf, headPart, sessionOf, StoppedClock, testIo } from '../platforms/harness.ts';
import { checkAgainstDescription } from './description-oracle.ts';
import { ensureOracle, peerScript } from './ensure-peers.ts';

const script = peerScript('oracle.mjs');
const ofTelegram = peerScript('descriptions/telegram.json');
const ofDiscord = peerScript('descriptions/discord.json');

/** For all calls of a scenario, each checked. */
const TIME_MS = 120_000;

beforeAll(async () => {
  if (script !== undefined) await ensureOracle();
});

const clock = new StoppedClock();
const PNG: OutgoingImage = {
  mediaId: 'm',
  bytes: Buffer.from('a picture'),
  contentType: 'image/png',
  width: 3,
  height: 2,
  altText: 'A bell',
};
const part = (text: string, more: Partial<SendPart> = {}): SendPart => ({
  ...headPart(text, '01a1fc8269dc702a98c6fd607', clock.now()),
  ...more,
});

describe.skipIf(script === undefined || ofTelegram === undefined)('Telegram', () => {
  const TOKEN = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11';

  it('finds no mismatch in any call or answer', async () => {
    const fake = await startFakeTelegram({ now: clock.now });
    fake.bots.set(TOKEN, { id: 123456, username: 'bells_bot' });
    fake.addChat({ id: -1001234567890, type: 'channel', title: 'The Bells', username: 'thebells' });
    const io = { ...testIo(clock.now, { TELEGRAM_API_URL: fake.url }, TIME_MS), sleep: async () => undefined };

    const verdict = await checkAgainstDescription({
      script: script ?? '',
      description: ofTelegram ?? '',
      base: `/bot${TOKEN}`,
      io,
      scenario: async (way) => {
        const session = sessionOf(await telegram.connectAccount({ botToken: TOKEN, chatId: '@thebells' }, way));
        const send = (sent: SendPart) => telegram.publish(session, sent, way);
        const head = await send(part('head'));
        await send(part('reply', { step: 'reply', root: head, parent: head }));
        await send(part('one', { images: [PNG] }));
        const album = await send(part('y'.repeat(1_025), { images: [PNG, PNG] }));
        await telegram.remove?.(session, album, way);
        await telegram.remove?.(session, head, way);
      },
    });
    await fake.close();

    expect(verdict).toEqual({
      calls: [
        'POST /deleteMessages',
        'POST /getChat',
        'POST /getMe',
        'POST /sendMediaGroup',
        'POST /sendMessage',
        'POST /sendPhoto',
      ],
      complaints: [],
    });
  });

  it('accepts the longest text, and no longer one', async () => {
    const fake = await startFakeTelegram({ now: clock.now });
    fake.bots.set(TOKEN, { id: 123456, username: 'bells_bot' });
    fake.addChat({ id: -1001234567890, type: 'channel', title: 'The Bells', username: 'thebells' });
    const session = sessionOf({
      platformAccountId: '-1001234567890',
      handle: 'thebells',
      credential: { botToken: TOKEN, chatId: '-1001234567890' },
    });
    const trial = (length: number) =>
      checkAgainstDescription({
        script: script ?? '',
        description: ofTelegram ?? '',
        base: `/bot${TOKEN}`,
        io: testIo(clock.now, { TELEGRAM_API_URL: fake.url }, TIME_MS),
        scenario: async (way) => void (await telegram.publish(session, part('n'.repeat(length)), way).catch(String)),
      });

    const [longest, tooLong] = [await trial(telegram.text.maxLength), await trial(telegram.text.maxLength + 1)];
    await fake.close();

    expect([longest.complaints, tooLong.complaints.map(({ bad }) => bad)]).toEqual([[], ['request']]);
  });
});

describe.skipIf(script === undefined || ofDiscord === undefined)('Discord', async () => {
  const fake = await startFakeDiscord({ now: clock.now });
  afterAll(() => fake.close());
  fake.channels.push({ id: '700', guildId: '800', name: 'news', type: 0, position: 0 });
  const app = { clientId: 'our-app', clientSecret: 'our-secret', botToken: 'token-of-the-bot' };
  const io = () => testIo(clock.now, { DISCORD_API_URL: fake.url }, TIME_MS, { discord: app });

  type Account = Awaited<ReturnType<typeof discord.connectAccount>>;
  const check = (scenario: (way: PlatformIo) => Promise<void>) =>
    checkAgainstDescription({
      script: script ?? '',
      description: ofDiscord ?? '',
      base: '/api/v10',
      io: io(),
      scenario,
    });

  async function walk(account: Account, way: PlatformIo): Promise<void> {
    const session = sessionOf(account);
    const made: Published[] = [];
    made.push(await discord.publish(session, part('Hello'), way));
    made.push(await discord.publish(session, part('look', { images: [PNG, PNG], token: 'another-token' }), way));
    for (const one of made) await discord.remove?.(session, one, way);
  }

  it('finds no mismatch in any call or answer of a webhook', async () => {
    const { id, token } = fake.addWebhook();

    const verdict = await check(async (way) => {
      const webhookUrl = `https://discord.com/api/webhooks/${id}/${token}`;
      await walk(await discord.connectAccount({ webhookUrl }, way), way);
    });

    expect(verdict).toEqual({
      calls: [
        'DELETE /webhooks/{webhook_id}/{webhook_token}/messages/{message_id}',
        'GET /webhooks/{webhook_id}/{webhook_token}',
        'POST /webhooks/{webhook_id}/{webhook_token}',
      ],
      complaints: [],
    });
  });

  it('finds no mismatch in any call or answer of the bot', async () => {
    const verdict = await check(async (way) => {
      const account = await discord.hosted?.alternative?.connectAccount({ channelId: '700', guildId: '800' }, way);
      await walk(account as Account, way);
    });

    expect(verdict).toEqual({
      calls: ['DELETE /channels/{channel_id}/messages/{message_id}', 'POST /channels/{channel_id}/messages'],
      complaints: [],
    });
  });

  it('finds no mismatch in the refusal of a deleted webhook', async () => {
    const verdict = await check(async (way) => {
      await failureOf(discord.connectAccount({ webhookUrl: 'https://discord.com/api/webhooks/1/gone' }, way));
    });

    expect(verdict.complaints).toEqual([]);
  });

  it('accepts the longest text, and no longer one', async () => {
    const { id, token } = fake.addWebhook();
    const credential = { kind: 'webhook' as const, webhookId: id, webhookToken: token, guildId: '800' };
    const session = sessionOf({ platformAccountId: id, handle: 'The Bells', credential });
    const trial = (length: number) =>
      check(async (way) => void (await discord.publish(session, part('n'.repeat(length)), way).catch(String)));

    const [longest, tooLong] = [await trial(discord.text.maxLength), await trial(discord.text.maxLength + 1)];

    expect([longest.complaints, tooLong.complaints.map(({ bad }) => bad)]).toEqual([[], ['request']]);
  });
});
