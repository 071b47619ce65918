/** A channel on Slack, and the bot that posts to it. */
import { BOT_SCOPES, startFakeSlack } from '../fakes/fake-slack.ts';
import { appSettings, offerApp, type PlatformServer, type PlatformServerOptions } from './platform-server.ts';

export async function startSlackServer(options: PlatformServerOptions): Promise<PlatformServer> {
  const fake = await startFakeSlack(options);
  fake.addChannel('C0BELLS', 'bells');
  fake.granted = { incoming_webhook: { channel: '#bells', channel_id: 'C0BELLS' } };
  const bot = fake.addBot('xoxb-bells', BOT_SCOPES);
  offerApp(fake.consent, options, { platformId: 'slack', scope: BOT_SCOPES.join(','), who: 'alice' });
  return {
    platformId: 'slack',
    maxLength: 4_000,
    maxFamilies: 571,
    credentials: { botToken: 'xoxb-bells', channelId: 'C0BELLS' },
    hasNoReadBack: true,
    env: { SLACK_API_URL: fake.url, ...appSettings('SLACK', options) },
    textMeeting: (fault, text) => {
      fake.faults.push(fault);
      return text;
    },
    existing: async () => fake.messages().map(({ text }) => text),
    revoke: () => {
      bot.isRevoked = true;
    },
    lastImages: async () => (fake.messages().at(-1)?.files ?? []).map(({ altText }) => ({ altText })),
    close: () => fake.close(),
  };
}
