/**
 * How a customer links a Discord channel: with a webhook URL, or on Discord's page, which creates a webhook or
 * adds the bot.
 */
import { ClientSecretPost } from 'oauth4webapi';
import { z } from 'zod';
import { type JsonObject, PlatformFailure } from '../contract.ts';
import type { HostedConnect, OauthAccount, OauthIo, OauthRequest, Typed } from '../connect.ts';
import { withoutPublishing } from '../http.ts';
import { type AuthorizationServer, consentUrl, exchangeCode } from '../oauth.ts';
import { API_VERSION, appOf, asDiscordBot, callDiscord } from './api.ts';
import { connectGranted, type DiscordCredentialsInput, read } from './credential.ts';
import type { DiscordApp } from './settings.ts';

/** The bot's permissions: view channels, send messages, embed links, attach files, read message history. */
const PERMISSIONS = 1_024 + 2_048 + 16_384 + 32_768 + 65_536;

/** Channel types that accept messages: text and announcement. */
const TEXT_CHANNELS = [0, 5];

const WithWebhook = z.object({ webhook: z.object({ id: z.string(), token: z.string(), name: z.string().nullish() }) });
const WithGuild = z.object({ guild: z.object({ id: z.string() }) });
const Channels = z.array(
  z.object({ id: z.string(), type: z.number(), name: z.string().nullish(), position: z.number().catch(0) }),
);

export const hosted: HostedConnect<DiscordCredentialsInput> = {
  fields: [
    {
      name: 'webhookUrl',
      label: 'Webhook URL',
      hint: 'In the settings of the channel, under Integrations, Webhooks: Copy Webhook URL.',
      kind: 'secret',
      required: true,
    },
  ],
  alternative: {
    button: 'Choose a channel on Discord',
    hint: 'Agree on Discord’s own page.',
    fields: [],
    oauth: {
      isSetUp: ({ discord }) => discord !== null,
      pageSources: ({ DISCORD_API_URL }) => [DISCORD_API_URL],
      begin,
      finish,
    },
    connectAccount: connectGranted,
  },
};

/** @see https://discord.com/developers/docs/topics/oauth2#authorization-code-grant */
function serverAt({ endpoints }: OauthIo, { botToken }: DiscordApp): AuthorizationServer {
  return {
    name: 'Discord',
    pageUrl: `${endpoints.DISCORD_API_URL}/oauth2/authorize`,
    tokenUrl: `${endpoints.DISCORD_API_URL}/api/${API_VERSION}/oauth2/token`,
    scope: botToken === undefined ? 'webhook.incoming' : 'bot identify',
  };
}

async function begin(_typed: Typed, request: OauthRequest, io: OauthIo) {
  const app = appOf(io);
  const url = new URL(await consentUrl(serverAt(io, app), app.clientId, request));
  if (app.botToken !== undefined) url.searchParams.set('permissions', String(PERMISSIONS));
  return { url: url.href, memo: {} };
}

async function finish(
  answer: URLSearchParams,
  request: OauthRequest,
  _memo: unknown,
  io: OauthIo,
): Promise<readonly OauthAccount<JsonObject>[]> {
  const app = appOf(io);
  const server = serverAt(io, app);
  const proof = ClientSecretPost(app.clientSecret);
  const { said } = await exchangeCode(asDiscordBot(io), server, app.clientId, proof, answer, request);
  return app.botToken === undefined ? [webhookOf(said)] : channelsOf(io, app.botToken, said);
}

function webhookOf(said: unknown): OauthAccount<JsonObject> {
  const parsed = WithWebhook.safeParse(said);
  if (!parsed.success) throw new PlatformFailure('unavailable', 'Discord answered without a webhook.');
  const { id, token, name } = parsed.data.webhook;
  return { label: name ?? id, credentials: { webhookId: id, webhookToken: token } };
}

/** Lists the channels of the server to which the customer added the bot. */
function channelsOf(io: OauthIo, botToken: string, said: unknown): Promise<readonly OauthAccount<JsonObject>[]> {
  return withoutPublishing(async () => {
    const parsed = WithGuild.safeParse(said);
    if (!parsed.success) throw new PlatformFailure('rejected', 'Discord names no server that the bot was let into.');
    const guildId = parsed.data.guild.id;
    const path = `/guilds/${encodeURIComponent(guildId)}/channels`;
    const channels = read(Channels, await callDiscord(io, path, { botToken }))
      .filter(({ type }) => TEXT_CHANNELS.includes(type))
      .toSorted((one, other) => one.position - other.position)
      .map(({ id, name }) => ({ label: `#${name ?? id}`, credentials: { channelId: id, guildId } }));
    if (channels.length > 0) return channels;
    throw new PlatformFailure('rejected', 'The server has no text channel that the bot sees.');
  });
}
