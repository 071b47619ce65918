/** A channel on Discord, and the webhook that posts to it. */
import { startFakeDiscord } from '../fakes/fake-discord.ts';
import { appSettings, offerApp, type PlatformServer, type PlatformServerOptions } from './platform-server.ts';

export async function startDiscordServer(options: PlatformServerOptions): Promise<PlatformServer> {
  const fake = await startFakeDiscord(options);
  const { id, token } = fake.addWebhook();
  offerApp(fake.consent, options, { platformId: 'discord', scope: 'webhook.incoming', who: 'alice' });
  return {
    platformId: 'discord',
    maxLength: 2_000,
    maxFamilies: 181,
    credentials: { webhookUrl: `https://discord.com/api/webhooks/${id}/${token}` },
    hasNoReadBack: true,
    env: { DISCORD_API_URL: fake.url, ...appSettings('DISCORD', options) },
    textMeeting: (fault, text) => {
      fake.faults.push(fault);
      return text;
    },
    existing: async () => fake.messages().map(({ content }) => content),
    revoke: () => fake.removeWebhook(id),
    lastImages: async () =>
      (fake.messages().at(-1)?.attachments ?? []).map(({ description }) => ({ altText: description })),
    close: () => fake.close(),
  };
}
