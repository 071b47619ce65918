/** A channel on Slack, and the bot that posts to it. */
import { BOT_SCOPES, startFakeSlack } from '../fakes/fake-slack.ts';
import { appSettings, offerApp, type Stand, type StandOptions } from './stand.ts';

export async function startSlackStand(options: StandOptions): Promise<Stand> {
  const server = await startFakeSlack(options);
  server.addChannel('C0BELLS', 'bells');
  server.granted = { incoming_webhook: { channel: '#bells', channel_id: 'C0BELLS' } };
  const bot = server.addBot('xoxb-bells', BOT_SCOPES);
  offerApp(server.consent, options, { platformId: 'slack', scope: BOT_SCOPES.join(','), who: 'alice' });
  return {
    platformId: 'slack',
    maxLength: 4_000,
    maxFamilies: 571,
    credentials: { botToken: 'xoxb-bells', channelId: 'C0BELLS' },
    cannotTell: true,
    env: { SLACK_API_URL: server.url, ...appSettings('SLACK', options) },
    textMeeting: (fault, text) => {
      server.faults.push(fault);
      return text;
    },
    existing: async () => server.messages().map(({ text }) => text),
    revoke: () => {
      bot.isRevoked = true;
    },
    lastImages: async () => (server.messages().at(-1)?.files ?? []).map(({ altText }) => ({ altText })),
    close: () => server.close(),
  };
}
