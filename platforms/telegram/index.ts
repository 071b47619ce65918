/** Telegram: channels and groups that a bot posts to through the Bot API. */
import { z } from 'zod';
import {
  definePlatform,
  PlatformFailure,
  type PlatformIo,
  type Published,
  type SendPart,
  type Session,
} from '../contract.ts';
import { withoutPublishing } from '../http.ts';
import { callBot, requireDeleted } from './api.ts';
import { type BotCredential, connectAccount, hosted, TelegramCredentialsInput } from './connect.ts';
import { type Message, sendImages, sendText } from './messages.ts';
import { UTF16_UNITS } from '../text.ts';
import { settings } from './settings.ts';

/** Maximum length of a caption; a longer text follows the images as a separate message. */
const CAPTION_MAX = 1024;

/** Wait between two messages of one post, in milliseconds; a chat accepts about one message per second. */
const MESSAGE_INTERVAL_MS = 1_000;

/** Messages that a group takes from a bot within a minute. A channel has no such limit. */
const GROUP_PACE = { max: 20, perMs: 60_000, messagesOf: messagesInGroup };

/** Maximum sum of width and height: 10,000 pixels. */
const SIDE_MAX = 5_000;

/** Types of a chat that is a group. */
const GROUPS = ['group', 'supergroup'];

/** Ids of channels and supergroups begin with this prefix; links to them omit it. */
const PRIVATE_PREFIX = '-100';

const Ref = z.object({ messageIds: z.array(z.number()).min(1), isInGroup: z.boolean().optional() });

export const telegram = definePlatform<BotCredential, TelegramCredentialsInput>({
  id: 'telegram',
  name: 'Telegram',
  kind: 'broadcast',
  settings,
  text: { maxLength: 4096, unit: UTF16_UNITS },
  images: {
    max: 10,
    maxBytes: 10_000_000,
    types: ['image/png', 'image/jpeg', 'image/webp'],
    // An album cannot contain animations; a GIF in one becomes a still image.
    typesAlone: ['image/gif'],
    altTextMax: null,
    maxWidth: SIDE_MAX,
    maxHeight: SIDE_MAX,
    ratio: { min: 1 / 20, max: 20, words: 'ratios from 1:20 to 20:1' },
  },
  thread: { max: 24, onRefusal: 'take_down', pace: GROUP_PACE },
  firstComment: null,
  permalink: true,
  metrics: [],
  // The API has no idempotency, and bots cannot read their own posts.
  recovery: { repeatWithinMs: 0, readBack: false },
  concurrency: { perProcess: 50, perConnection: 1 },
  connect: ['credentials'],
  apiVersion: null,
  source: [
    'https://core.telegram.org/bots/api#sendmessage',
    'https://core.telegram.org/bots/api#sendphoto',
    'https://core.telegram.org/bots/api#sendmediagroup',
    'https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this',
  ],
  credentials: TelegramCredentialsInput,
  hosted,
  connectAccount,
  // A group that was upgraded has another number, which the credential has since the first post there.
  isSameAccount: ({ chatId }, { platformAccountId }) => chatId === platformAccountId,
  publish,
  remove,
});

async function publish(session: Session<BotCredential>, part: SendPart, io: PlatformIo): Promise<Published> {
  const { text, images = [], parent } = part;
  if (images.length > 0) {
    const isCaption = text.length <= CAPTION_MAX;
    const shown = await sendImages(session, images, isCaption ? text : '', io);
    return published(isCaption ? shown : [...shown, ...(await sendTextAfter(session, shown, text, io))]);
  }
  if (parent === undefined) return published(await sendText(session, text, undefined, io));
  await io.sleep(MESSAGE_INTERVAL_MS, io.signal);
  return published(await sendText(session, text, addressOf(parent).messageId, io));
}

/** If the text is refused, its images are deleted, so that a failed post is not half published. */
async function sendTextAfter(
  session: Session<BotCredential>,
  shown: readonly Message[],
  text: string,
  io: PlatformIo,
): Promise<readonly Message[]> {
  try {
    await io.sleep(MESSAGE_INTERVAL_MS, io.signal);
    return await sendText(session, text, undefined, io);
  } catch (error) {
    if (!(error instanceof PlatformFailure) || error.kind === 'unknown') throw error;
    await remove(session, published(shown), io).catch((cause: unknown) => {
      const message = `Its images are up and its text is not: ${error.message}`;
      throw new PlatformFailure('unknown', message, { cause });
    });
    throw error;
  }
}

/** Message ids are invalid in a group that was upgraded, so this does not switch to the new chat id. */
function remove({ credential }: Session<BotCredential>, post: Published, io: PlatformIo): Promise<void> {
  return withoutPublishing(async () => {
    const { chatId, messageId } = addressOf(post);
    const messageIds = Ref.safeParse(post.ref).data?.messageIds ?? [messageId];
    const json = { chat_id: chatId, message_ids: messageIds };
    const answer = await callBot(io, credential.botToken, 'deleteMessages', { json });
    const isGone = /message to delete not found/i.test(answer.refusal?.description ?? '');
    requireDeleted(answer, answer.result === true || isGone);
  });
}

/** Location of a post: its chat, and its first message there. */
function addressOf({ platformPostId }: Published): { chatId: string; messageId: number } {
  const [chatId = '', messageId] = platformPostId.split(':');
  return { chatId, messageId: Number(messageId) };
}

/** One post, which may consist of several messages. */
function published(messages: readonly Message[]): Published {
  const [first] = messages;
  if (first === undefined) throw new Error('a post has at least one message');
  return {
    platformPostId: `${first.chat.id}:${first.message_id}`,
    url: permalink(first),
    ref: {
      messageIds: messages.map((message) => message.message_id),
      ...(GROUPS.includes(first.chat.type) && { isInGroup: true }),
    },
  };
}

function messagesInGroup(post: Published): number {
  const ref = Ref.safeParse(post.ref).data;
  return ref?.isInGroup === true ? ref.messageIds.length : 0;
}

/** Null in basic groups and in private chats. Links to private channels and groups work for members only. */
function permalink({ message_id: id, chat }: Message): string | null {
  if (chat.type !== 'channel' && chat.type !== 'supergroup') return null;
  if (chat.username !== undefined) return `https://t.me/${encodeURIComponent(chat.username)}/${id}`;
  const number = String(chat.id);
  return number.startsWith(PRIVATE_PREFIX) ? `https://t.me/c/${number.slice(PRIVATE_PREFIX.length)}/${id}` : null;
}
