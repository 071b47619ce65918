/**
 * The two kinds of Discord credential: a webhook, which posts to one channel, and the install's bot in a channel
 * of a server.
 */
import { z } from 'zod';
import { fieldFacts } from '../credential-fields.ts';
import { type ConnectedAccount, type JsonObject, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import { type PlatformAnswer, withoutPublishing } from '../http.ts';
import { appOf, callDiscord, failure } from './api.ts';

/** The credential that is stored, encrypted, for a connection. */
export type DiscordCredential = WebhookCredential | BotCredential;

interface WebhookCredential {
  readonly kind: 'webhook';
  readonly webhookId: string;
  readonly webhookToken: string;
  /** The server of the channel; null when Discord does not report it. */
  readonly guildId: string | null;
  /** The channel at the time of connecting; null when Discord does not report it. Absent in old credentials. */
  readonly channelId?: string | null;
}

export interface BotCredential {
  readonly kind: 'bot';
  readonly channelId: string;
  readonly guildId: string;
  /** The bot's user id, which is the author of its messages. */
  readonly botId: string;
}

const OFFICIAL_HOST = /^https:\/\/(?:(?:canary|ptb)\.)?discord(?:app)?\.com$/;
const WEBHOOK_PATH = /^\/api(?:\/v\d+)?\/webhooks\/(\d{1,20})\/([\w-]{1,200})\/?$/;
const EXPECTED = 'the URL of a webhook, such as https://discord.com/api/webhooks/123/abc';

export const DiscordCredentialsInput = z.strictObject({
  webhookUrl: z
    .string()
    .trim()
    .max(400)
    .refine((text) => webhookPath(text) !== null, EXPECTED)
    .describe('URL of a webhook, which the settings of a channel show under Integrations. Keep it secret.')
    .register(fieldFacts, { label: 'Webhook URL', kind: 'secret' }),
});
export type DiscordCredentialsInput = z.infer<typeof DiscordCredentialsInput>;

/** The credential that Discord's own page produces; POST /connections does not accept it. */
export const Granted = z.union([
  z.object({ webhookId: z.string(), webhookToken: z.string() }),
  z.object({ channelId: z.string(), guildId: z.string() }),
]);

const Webhook = z.object({
  id: z.string(),
  name: z.string().nullish(),
  guild_id: z.string().nullish(),
  channel_id: z.string().nullish(),
});
const Me = z.object({ id: z.string() });
const Channel = z.object({ id: z.string(), name: z.string().min(1), guild_id: z.string() });

/** The webhook is called on the configured server, so only URLs of Discord or of that server are accepted. */
export async function connectWebhook(
  { webhookUrl }: DiscordCredentialsInput,
  io: PlatformIo,
): Promise<ConnectedAccount<DiscordCredential>> {
  const [, webhookId = '', webhookToken = ''] = webhookPath(webhookUrl) ?? [];
  const { origin, host } = new URL(webhookUrl);
  if (!OFFICIAL_HOST.test(origin) && origin !== io.endpoints.DISCORD_API_URL) {
    throw new PlatformFailure('rejected', `${host} is not Discord: expected ${EXPECTED}.`);
  }
  return checkWebhook(webhookId, webhookToken, io);
}

/** Verifies a channel that a customer authorized on Discord's own page. */
export function connectGranted(granted: JsonObject, io: PlatformIo): Promise<ConnectedAccount<DiscordCredential>> {
  const credential = Granted.parse(granted);
  return 'webhookId' in credential
    ? checkWebhook(credential.webhookId, credential.webhookToken, io)
    : checkChannel(credential.channelId, credential.guildId, io);
}

/** Where messages are created and read, and as which author. */
export function placeOf(
  credential: DiscordCredential,
  io: PlatformIo,
): { readonly path: string; readonly botToken?: string } {
  if (credential.kind === 'webhook') return { path: `/webhooks/${credential.webhookId}/${credential.webhookToken}` };
  return { path: `/channels/${credential.channelId}`, botToken: botTokenOf(io) };
}

/** @throws PlatformFailure when the operator has removed the bot */
export function botTokenOf(io: PlatformIo): string {
  const { botToken } = appOf(io);
  if (botToken !== undefined) return botToken;
  throw new PlatformFailure('unavailable', 'Discord’s bot is not set up on this install any more; nothing was posted.');
}

/** A deleted webhook does not come back, so another one of its channel takes its place. */
export function isSameChannel(stored: DiscordCredential, found: DiscordCredential): boolean {
  return typeof stored.channelId === 'string' && stored.channelId === found.channelId;
}

/**
 * The credential of a session. An old one gets its channel stored while the webhook still tells it, because a later
 * reconnection is only possible with it.
 */
export async function withChannel(session: Session<DiscordCredential>, io: PlatformIo): Promise<DiscordCredential> {
  const { credential } = session;
  if (credential.kind !== 'webhook' || credential.channelId !== undefined) return credential;
  try {
    const { channel_id: channelId = null } = await readWebhook(credential.webhookId, credential.webhookToken, io);
    return await session.renew(async (stale) => ({ ...stale, channelId }) as DiscordCredential);
  } catch (error) {
    // The post itself says what is wrong with the webhook.
    if (error instanceof PlatformFailure) return credential;
    throw error;
  }
}

function webhookPath(text: string): RegExpExecArray | null {
  const url = URL.parse(text);
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') return null;
  return /^https?:$/.test(url.protocol) ? WEBHOOK_PATH.exec(url.pathname) : null;
}

function checkWebhook(
  webhookId: string,
  webhookToken: string,
  io: PlatformIo,
): Promise<ConnectedAccount<DiscordCredential>> {
  return withoutPublishing(async () => {
    const webhook = await readWebhook(webhookId, webhookToken, io);
    const guildId = webhook.guild_id ?? null;
    const channelId = webhook.channel_id ?? null;
    const credential: DiscordCredential = { kind: 'webhook', webhookId, webhookToken, guildId, channelId };
    return { platformAccountId: webhook.id, handle: webhook.name ?? webhook.id, credential };
  });
}

export async function readWebhook(id: string, token: string, io: PlatformIo): Promise<z.infer<typeof Webhook>> {
  return read(Webhook, await callDiscord(io, `/webhooks/${id}/${token}`));
}

function checkChannel(
  channelId: string,
  guildId: string,
  io: PlatformIo,
): Promise<ConnectedAccount<DiscordCredential>> {
  return withoutPublishing(async () => {
    const botToken = botTokenOf(io);
    const me = read(Me, await callDiscord(io, '/users/@me', { botToken }));
    const channel = read(Channel, await callDiscord(io, `/channels/${encodeURIComponent(channelId)}`, { botToken }));
    if (channel.guild_id !== guildId) throw new PlatformFailure('rejected', 'The channel is on another server.');
    const credential: DiscordCredential = { kind: 'bot', channelId: channel.id, guildId, botId: me.id };
    return { platformAccountId: channel.id, handle: channel.name, credential };
  });
}

/** Returns the body of a read-only call. */
export function read<Output>(shape: z.ZodType<Output>, answer: PlatformAnswer): Output {
  if (answer.status !== 200) throw failure(answer);
  const parsed = shape.safeParse(answer.body);
  if (parsed.success) return parsed.data;
  throw new PlatformFailure('unavailable', 'Discord answered without what it was asked for.');
}
