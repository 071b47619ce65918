/** Sends a bot's messages: a text, or images with a caption. */
import { z } from 'zod';
import { type OutgoingImage, PlatformFailure, type PlatformIo, type Session } from '../contract.ts';
import { type BotAnswer, callBot, failure } from './api.ts';
import type { BotCredential } from './connect.ts';

const Message = z.object({
  message_id: z.number(),
  chat: z.object({ id: z.number(), type: z.string(), username: z.string().optional() }),
});
/** A sent message. */
export type Message = z.infer<typeof Message>;

/** An album is returned as its messages. */
const Sent = z.union([Message.transform((message) => [message]), z.array(Message).min(1)]);

const ANIMATION = 'image/gif';

/** @param replyTo id of the message that this one replies to; undefined for none */
export function sendText(
  session: Session<BotCredential>,
  text: string,
  replyTo: number | undefined,
  io: PlatformIo,
): Promise<readonly Message[]> {
  // Without a parse mode, every character is literal; clients detect links, names and tags.
  const reply =
    replyTo === undefined ? {} : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } };
  return send(session, io, 'sendMessage', (chatId) => ({
    json: { chat_id: chatId, text: text.toWellFormed(), ...reply },
  }));
}

/** Sends one image as a single message, several as an album. @param caption empty for none */
export function sendImages(
  session: Session<BotCredential>,
  images: readonly OutgoingImage[],
  caption: string,
  io: PlatformIo,
): Promise<readonly Message[]> {
  const [only] = images;
  if (only === undefined) throw new Error('there is no image to send');
  if (images.length > 1) {
    return send(session, io, 'sendMediaGroup', (chatId) => ({ form: albumForm(chatId, images, caption) }));
  }
  const kind = only.contentType === ANIMATION ? 'animation' : 'photo';
  const method = kind === 'animation' ? 'sendAnimation' : 'sendPhoto';
  return send(session, io, method, (chatId) => {
    const form = formFor(chatId);
    if (caption !== '') form.append('caption', caption.toWellFormed());
    form.append(kind, fileOf(only), nameOf(only));
    return { form };
  });
}

/** The caption of the first image of an album is shown as the caption of the album. */
function albumForm(chatId: string, images: readonly OutgoingImage[], caption: string): FormData {
  const form = formFor(chatId);
  const media = images.map((_image, index) => ({
    type: 'photo',
    media: `attach://file${index}`,
    ...(index === 0 && caption !== '' && { caption: caption.toWellFormed() }),
  }));
  form.append('media', JSON.stringify(media));
  for (const [index, image] of images.entries()) form.append(`file${index}`, fileOf(image), nameOf(image));
  return form;
}

async function send(
  session: Session<BotCredential>,
  io: PlatformIo,
  method: string,
  bodyFor: (chatId: string) => Parameters<typeof callBot>[3],
): Promise<readonly Message[]> {
  const answer = await inChat(session, ({ botToken, chatId }) => callBot(io, botToken, method, bodyFor(chatId)));
  if (answer.result === undefined) throw failure(answer);
  const sent = Sent.safeParse(answer.result);
  if (sent.success) return sent.data;
  throw new PlatformFailure('unknown', 'Telegram answered without the message it made.');
}

/** An upgraded group has a new chat id. The refused call is repeated with it, and the new id is kept. */
async function inChat(
  session: Session<BotCredential>,
  call: (credential: BotCredential) => Promise<BotAnswer>,
): Promise<BotAnswer> {
  const answer = await call(session.credential);
  const { movedTo } = answer;
  if (movedTo === null) return answer;
  return call(await session.renew(async (stale) => ({ ...stale, chatId: movedTo })));
}

function formFor(chatId: string): FormData {
  const form = new FormData();
  form.append('chat_id', chatId);
  return form;
}

function fileOf(image: OutgoingImage): Blob {
  // Blob does not accept shared memory, so the bytes are copied.
  return new Blob([new Uint8Array(image.bytes)], { type: image.contentType });
}

function nameOf({ contentType }: OutgoingImage): string {
  return `image.${contentType.replace('image/', '')}`;
}
