/** Verifies a bot and the chat that it is to post to, before anything is stored. */
import { z } from 'zod';
import { fieldFacts } from '../credential-fields.ts';
import { type ConnectedAccount, PlatformFailure, type PlatformIo } from '../contract.ts';
import type { HostedConnect } from '../connect.ts';
import { withoutPublishing } from '../http.ts';
import { type BotAnswer, callBot, failure, wordsOf } from './api.ts';

/** The credential that is stored, encrypted, for a connection. */
export interface BotCredential {
  readonly botToken: string;
  /** The chat's id, because a name can pass to another chat. */
  readonly chatId: string;
}

const A_CHAT = 'the name of a public channel or group, such as @thebells, or the number of a chat';

export const TelegramCredentialsInput = z.strictObject({
  botToken: z
    .string()
    .trim()
    .regex(/^\d{1,20}:[\w-]{20,200}$/, 'the token of a bot, such as 123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11')
    .describe('Token of the bot, which BotFather gives.')
    .register(fieldFacts, { label: 'Bot token', kind: 'secret' }),
  chatId: z
    .union(
      [
        z
          .string()
          .trim()
          .regex(/^(?:@[A-Za-z]\w{3,31}|-?\d{1,16})$/, A_CHAT),
        z.int(),
      ],
      A_CHAT,
    )
    .describe('Where it posts: @name of a public channel or group, or the number of a chat, such as -1001234567890.')
    .register(fieldFacts, { label: 'Chat', kind: 'text' }),
});
export type TelegramCredentialsInput = z.infer<typeof TelegramCredentialsInput>;

export const hosted: HostedConnect<TelegramCredentialsInput> = {
  fields: [
    {
      name: 'botToken',
      label: 'Bot token',
      hint: 'From @BotFather on Telegram. Add the bot to your channel first, as an administrator who may post messages.',
      kind: 'secret',
      required: true,
    },
    {
      name: 'chatId',
      label: 'Chat',
      hint: 'Name of a public channel or group, such as @thebells, or the number of a private one.',
      kind: 'text',
      required: true,
    },
  ],
};

const Bot = z.object({ id: z.number(), username: z.string() });

const Chat = z.object({
  id: z.number(),
  type: z.string(),
  title: z.string().optional(),
  username: z.string().optional(),
  first_name: z.string().optional(),
  /** Permissions of ordinary members of a group. */
  permissions: z.object({ can_send_messages: z.boolean().optional() }).optional(),
});
type Chat = z.infer<typeof Chat>;

const Member = z.object({
  status: z.string(),
  /** A permission of channel administrators. */
  can_post_messages: z.boolean().optional(),
  /** A permission of restricted members. */
  is_member: z.boolean().optional(),
  can_send_messages: z.boolean().optional(),
});
type Member = z.infer<typeof Member>;

export function connectAccount(
  { botToken, chatId }: TelegramCredentialsInput,
  io: PlatformIo,
): Promise<ConnectedAccount<BotCredential>> {
  return withoutPublishing(async () => {
    const bot = read(Bot, await callBot(io, botToken, 'getMe', {}));
    const chat = await findChat(io, botToken, bot.username, String(chatId));
    await requireRights(io, botToken, bot, chat);
    const id = String(chat.id);
    const handle = chat.username ?? chat.title ?? chat.first_name ?? id;
    return { platformAccountId: id, handle, credential: { botToken, chatId: id } };
  });
}

async function findChat(io: PlatformIo, botToken: string, botName: string, chatId: string): Promise<Chat> {
  const answer = await callBot(io, botToken, 'getChat', { json: { chat_id: chatId } });
  if (answer.movedTo !== null) return findChat(io, botToken, botName, answer.movedTo);
  if (answer.refusal === null || (answer.status !== 400 && answer.status !== 403)) return read(Chat, answer);
  throw new PlatformFailure(
    'rejected',
    `The bot @${botName} does not see the chat ${chatId}: add it there, to a channel as an administrator who may post messages. Telegram says: ${wordsOf(answer)}`,
  );
}

/** Without this check, a bot without permission to post would be refused only at the first post. */
async function requireRights(io: PlatformIo, botToken: string, bot: z.infer<typeof Bot>, chat: Chat): Promise<void> {
  if (chat.type === 'private') return;
  const json = { chat_id: String(chat.id), user_id: bot.id };
  const member = read(Member, await callBot(io, botToken, 'getChatMember', { json }));
  if (mayPost(chat, member)) return;
  const place = chat.type === 'channel' ? 'channel' : 'group';
  const remedy =
    place === 'channel'
      ? 'make it an administrator who may post messages'
      : 'add it, and let members write or make it an administrator';
  const name = chat.title ?? String(chat.id);
  throw new PlatformFailure('rejected', `The bot @${bot.username} may not post in the ${place} ${name}: ${remedy}.`);
}

function mayPost(chat: Chat, member: Member): boolean {
  if (member.status === 'creator') return true;
  if (chat.type === 'channel') return member.status === 'administrator' && member.can_post_messages === true;
  if (member.status === 'restricted') return member.is_member === true && member.can_send_messages === true;
  return (
    member.status === 'administrator' || (member.status === 'member' && chat.permissions?.can_send_messages !== false)
  );
}

function read<Output>(shape: z.ZodType<Output>, answer: BotAnswer): Output {
  if (answer.result === undefined) throw failure(answer);
  const parsed = shape.safeParse(answer.result);
  if (parsed.success) return parsed.data;
  throw new PlatformFailure('unavailable', 'Telegram answered without what it was asked for.');
}
