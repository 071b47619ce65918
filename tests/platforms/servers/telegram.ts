/** A channel on Telegram, and the bot that posts to it. */
import { startFakeTelegram } from '../fakes/fake-telegram.ts';
import type { PlatformServer, PlatformServerOptions } from './platform-server.ts';

export async function startTelegramServer(options: PlatformServerOptions): Promise<PlatformServer> {
  const fake = await startFakeTelegram(options);
  const token = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11';
  fake.bots.set(token, { id: 123456, username: 'bells_bot' });
  fake.addChat({ id: -1001234567890, type: 'channel', title: 'The Bells', username: 'thebells' });
  return {
    platformId: 'telegram',
    maxLength: 4_096,
    // An emoji of seven code points has eleven UTF-16 units.
    maxFamilies: 372,
    credentials: { botToken: token, chatId: '@thebells' },
    hasNoReadBack: true,
    env: { TELEGRAM_API_URL: fake.url },
    textMeeting: (fault, text) => {
      fake.faults.push(fault);
      return text;
    },
    existing: async () => fake.messages().map((message) => message.text),
    revoke: () => fake.bots.clear(),
    // The text is the caption of the first image of an album.
    lastImages: async () => {
      const messages = fake.messages();
      const first = messages.findLastIndex(({ text }) => text !== '');
      return messages.slice(first).flatMap(({ file }) => (file === null ? [] : [{ altText: null }]));
    },
    close: () => fake.close(),
  };
}
