/** A channel on Telegram, and the bot that posts to it. */
import { startFakeTelegram } from '../fakes/fake-telegram.ts';
import type { Stand, StandOptions } from './stand.ts';

export async function startTelegramStand(options: StandOptions): Promise<Stand> {
  const server = await startFakeTelegram(options);
  const token = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11';
  server.bots.set(token, { id: 123456, username: 'bells_bot' });
  server.addChat({ id: -1001234567890, type: 'channel', title: 'The Bells', username: 'thebells' });
  return {
    platformId: 'telegram',
    maxLength: 4_096,
    // An emoji of seven code points has eleven UTF-16 units.
    maxFamilies: 372,
    credentials: { botToken: token, chatId: '@thebells' },
    cannotTell: true,
    env: { TELEGRAM_API_URL: server.url },
    textMeeting: (fault, text) => {
      server.faults.push(fault);
      return text;
    },
    existing: async () => server.messages().map((message) => message.text),
    revoke: () => server.bots.clear(),
    // The text is the caption of the first image of an album.
    lastImages: async () => {
      const messages = server.messages();
      const first = messages.findLastIndex(({ text }) => text !== '');
      return messages.slice(first).flatMap(({ file }) => (file === null ? [] : [{ altText: null }]));
    },
    close: () => server.close(),
  };
}
