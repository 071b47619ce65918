/** A channel on Discord, and the webhook that posts to it. */
import { startFakeDiscord } from '../fakes/fake-discord.ts';
import { appSettings, offerApp, type Stand, type StandOptions } from './stand.ts';

export async function startDiscordStand(options: StandOptions): Promise<Stand> {
  const server = await startFakeDiscord(options);
  const { id, token } = server.addWebhook();
  offerApp(server.consent, options, { platformId: 'discord', scope: 'webhook.incoming', who: 'alice' });
  return {
    platformId: 'discord',
    maxLength: 2_000,
    maxFamilies: 181,
    credentials: { webhookUrl: `https://discord.com/api/webhooks/${id}/${token}` },
    cannotTell: true,
    env: { DISCORD_API_URL: server.url, ...appSettings('DISCORD', options) },
    textMeeting: (fault, text) => {
      server.faults.push(fault);
      return text;
    },
    existing: async () => server.messages().map(({ content }) => content),
    revoke: () => server.removeWebhook(id),
    lastImages: async () =>
      (server.messages().at(-1)?.attachments ?? []).map(({ description }) => ({ altText: description })),
    close: () => server.close(),
  };
}
