/** Discord: a channel that a webhook or the install's bot posts to. */
import { z } from 'zod';
import {
  definePlatform,
  type OutgoingImage,
  PlatformFailure,
  type PlatformIo,
  type Published,
  type RecoveryFacts,
  type SendPart,
  type Session,
} from '../contract.ts';
import { callPlatform, platformWords, stringField, withoutPublishing } from '../http.ts';
import { API_VERSION, appOf, asDiscordBot, callDiscord, failure, isGone, requireDeleted } from './api.ts';
import { hosted } from './connect.ts';
import {
  connectWebhook,
  DiscordCredentialsInput,
  type DiscordCredential,
  isSameChannel,
  placeOf,
  readWebhook,
  withChannel,
} from './credential.ts';
import { findMessage } from './read-back.ts';
import { UTF16_UNITS } from '../text.ts';
import { settings } from './settings.ts';

/** How long Discord is sure to remember a nonce; the documentation says "a few minutes". */
const NONCE_REMEMBERED_MS = 2 * 60_000;

/** Maximum length of a nonce. */
const NONCE_MAX = 25;

/** A webhook message has no idempotency token, and webhooks cannot list messages. */
const NO_RECOVERY: RecoveryFacts = { repeatWithinMs: 0, readBack: false };
const BOT_RECOVERY: RecoveryFacts = { repeatWithinMs: NONCE_REMEMBERED_MS, readBack: true };

const Message = z.object({ id: z.string(), channel_id: z.string() });

export const discord = definePlatform<DiscordCredential, DiscordCredentialsInput>({
  id: 'discord',
  name: 'Discord',
  kind: 'broadcast',
  settings,
  // Discord counts characters without a definition; no other unit counts more than this one.
  text: { maxLength: 2000, unit: UTF16_UNITS },
  images: {
    max: 10,
    // 10 MiB per image but 25 MiB per request: at this size, the five images that a post may have fit.
    maxBytes: 5_000_000,
    types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    altTextMax: 1024,
  },
  thread: null,
  firstComment: null,
  permalink: true,
  metrics: [],
  recovery: BOT_RECOVERY,
  recoveryOf: ({ kind }) => (kind === 'bot' ? BOT_RECOVERY : NO_RECOVERY),
  concurrency: { perProcess: 50, perConnection: 1 },
  connect: ['credentials'],
  apiVersion: API_VERSION,
  source: [
    'https://discord.com/developers/docs/resources/webhook#execute-webhook',
    'https://discord.com/developers/docs/resources/message#create-message',
    'https://discord.com/developers/docs/reference#uploading-files',
    'https://discord.com/developers/docs/topics/rate-limits',
  ],
  credentials: DiscordCredentialsInput,
  hosted,
  connectAccount: connectWebhook,
  isSameAccount: (stored, { credential }) => isSameChannel(stored, credential),
  checkApp,
  makeToken: (_startedAt, seed) => seed.replaceAll('-', '').slice(-NONCE_MAX),
  publish,
  readBack,
  remove,
});

async function publish(session: Session<DiscordCredential>, part: SendPart, io: PlatformIo): Promise<Published> {
  const credential = await withChannel(session, io);
  const { path, ...as } = placeOf(credential, io);
  // Only with `wait` does Discord return the message or an error.
  const there = credential.kind === 'webhook' ? { path, query: { wait: 'true' } } : { path: `${path}/messages` };
  const answer = await callDiscord(io, there.path, { method: 'POST', ...as, ...there, ...bodyOf(credential, part) });
  if (answer.status !== 200) throw failure(answer);
  const message = Message.safeParse(answer.body);
  if (!message.success) throw new PlatformFailure('unknown', 'Discord answered without the message it made.');
  return published(credential, message.data.channel_id, message.data.id);
}

async function readBack(
  { credential }: Session<DiscordCredential>,
  part: SendPart,
  io: PlatformIo,
): Promise<Published | null> {
  if (credential.kind === 'webhook') throw new Error('a webhook cannot look for its messages');
  const message = await findMessage(io, credential, part);
  return message === null ? null : published(credential, credential.channelId, message.id);
}

function remove({ credential }: Session<DiscordCredential>, post: Published, io: PlatformIo): Promise<void> {
  return withoutPublishing(async () => {
    const { path, ...as } = placeOf(credential, io);
    const message = `${path}/messages/${encodeURIComponent(post.platformPostId)}`;
    const answer = await callDiscord(io, message, { method: 'DELETE', ...as });
    const hidden = isGone(answer) ? await hiddenBecause(credential, post, io) : null;
    if (hidden !== null) throw new PlatformFailure('rejected', `${hidden}, and may still be up: delete it on Discord.`);
    requireDeleted(answer, answer.status === 204 || isGone(answer));
  });
}

const OTHER_WEBHOOK = 'The message was not made with the webhook that the connection has now';

/**
 * To a webhook, the messages of others do not exist, nor its own in a channel from which it was moved, whether they are up or not.
 *
 * @returns why the message may be up; null if it is gone
 */
async function hiddenBecause(
  credential: DiscordCredential,
  { platformPostId, url, ref }: Published,
  io: PlatformIo,
): Promise<string | null> {
  if (credential.kind !== 'webhook') return null;
  const { webhookId, webhookToken } = credential;
  // Older posts say nothing of their webhook. Ids of Discord begin with their time.
  const isOther = ref === undefined ? BigInt(platformPostId) < BigInt(webhookId) : ref['webhookId'] !== webhookId;
  if (isOther) return OTHER_WEBHOOK;
  const channelId = ref?.['channelId'] ?? MESSAGE_URL.exec(url ?? '')?.[1];
  const { channel_id: present } = await readWebhook(webhookId, webhookToken, io);
  const isMoved = channelId !== undefined && present != null && channelId !== present;
  return isMoved ? 'The webhook of the message was moved to another channel' : null;
}

function bodyOf(
  { kind }: DiscordCredential,
  { text, token, images = [] }: SendPart,
): { json: unknown } | { form: FormData } {
  const message = {
    content: text.toWellFormed(),
    // A caller's text notifies no one: no @everyone, no roles, no users.
    allowed_mentions: { parse: [] },
    ...(kind === 'bot' && { nonce: token, enforce_nonce: true }),
  };
  if (images.length === 0) return { json: message };
  const form = new FormData();
  form.append('payload_json', JSON.stringify({ ...message, attachments: images.map(described) }));
  for (const [index, image] of images.entries()) {
    // Blob does not accept shared memory, so the bytes are copied.
    const file = new Blob([new Uint8Array(image.bytes)], { type: image.contentType });
    form.append(`files[${index}]`, file, fileName(image, index));
  }
  return { form };
}

function described(image: OutgoingImage, index: number): unknown {
  const { altText } = image;
  const description = altText === '' ? {} : { description: altText.toWellFormed() };
  return { id: index, filename: fileName(image, index), ...description };
}

function fileName({ contentType }: OutgoingImage, index: number): string {
  return `image-${index + 1}.${contentType.replace('image/', '')}`;
}

function published(credential: DiscordCredential, channelId: string, id: string): Published {
  const { guildId } = credential;
  const url = guildId === null ? null : `https://discord.com/channels/${guildId}/${channelId}/${id}`;
  const ref = credential.kind === 'webhook' ? { channelId, webhookId: credential.webhookId } : { channelId };
  return { platformPostId: id, url, ref };
}

const MESSAGE_URL = /\/channels\/\d+\/(\d+)\/\d+$/;

/** Requests a token of the app itself. https://discord.com/developers/docs/topics/oauth2#client-credentials-grant */
async function checkApp(io: PlatformIo): Promise<void> {
  const { clientId, clientSecret } = appOf(io);
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    scope: 'identify',
    client_id: clientId,
    client_secret: clientSecret,
  });
  const url = `${io.endpoints.DISCORD_API_URL}/api/${API_VERSION}/oauth2/token`;
  const answer = await callPlatform(asDiscordBot(io), url, { method: 'POST', body });
  if (answer.status === 200) return;
  const words = stringField(answer.body, 'error') ?? `HTTP ${answer.status}`;
  throw new PlatformFailure('unavailable', platformWords(words));
}
