/** What the operator of an install sets for Discord. */
import { type AppOf, defineApp, secret, SECRET_OF_APP, server, text } from '../settings.ts';

const app = defineApp({
  id: 'discord',
  registerAt: 'https://discord.com/developers/applications',
  settings: {
    DISCORD_CLIENT_ID: text(
      "Client ID of your app at Discord, with which customers choose a channel on Discord's own page.",
    ),
    DISCORD_CLIENT_SECRET: secret(SECRET_OF_APP),
    DISCORD_BOT_TOKEN: secret(
      "Token of that app's bot, which then posts to the channels chosen on that page. Unset: Discord creates a webhook for each channel.",
    ),
  },
  together: ['DISCORD_CLIENT_ID', 'DISCORD_CLIENT_SECRET'],
  dependent: { name: 'DISCORD_BOT_TOKEN', needs: ['DISCORD_CLIENT_ID', 'DISCORD_CLIENT_SECRET'] },
  read: ({ DISCORD_CLIENT_ID: clientId, DISCORD_CLIENT_SECRET: clientSecret, DISCORD_BOT_TOKEN: botToken }) =>
    clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret, botToken },
});

const endpoints = {
  DISCORD_API_URL: server(
    'https://discord.com',
    "Server of Discord's API, and of the page on which customers choose a channel.",
  ),
};

export const settings = { app, endpoints };

/** Without a bot token, customers choose webhooks. */
export type DiscordApp = NonNullable<AppOf<typeof app>>;

declare module '../settings.ts' {
  interface PlatformApps {
    readonly discord: AppOf<typeof app>;
  }
  interface PlatformEndpoints extends Readonly<Record<keyof typeof endpoints, string>> {}
}
