/** A small Bot API: bots, chats with members and permissions, messages, albums, and Telegram's errors. */
import {
  DROPPED,
  type Fault,
  type NoAnswer,
  startWire,
  type Wire,
  type WireAnswer,
  type WireCall,
  withFault,
  type WireOptions,
} from './wire.ts';

/** An error in Telegram's format. */
export interface FakeRefusal {
  readonly status: number;
  readonly description: string;
  readonly parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number };
}

interface FakeBot {
  readonly id: number;
  readonly username: string;
}

/** Member status of a bot in a chat. */
export interface FakeMember {
  readonly status: string;
  readonly can_post_messages?: boolean;
  readonly is_member?: boolean;
  readonly can_send_messages?: boolean;
}

export interface FakeChat {
  id: number;
  readonly type: 'channel' | 'supergroup' | 'group' | 'private';
  readonly title?: string;
  readonly username?: string;
  readonly first_name?: string;
  readonly permissions?: { readonly can_send_messages: boolean };
  /** Member status of every bot in this chat. */
  member: FakeMember;
  /** Id of the chat after an upgrade. */
  movedTo?: number;
}

export interface FakeFile {
  readonly kind: 'photo' | 'animation';
  readonly type: string;
  readonly bytes: Buffer;
}

export interface FakeMessage {
  readonly id: number;
  readonly chatId: number;
  /** The text, or the caption of an image. */
  readonly text: string;
  readonly file: FakeFile | null;
  readonly replyTo: number | null;
}

export interface FakeTelegram extends Wire {
  /** Bots by token; remove one to revoke it. */
  readonly bots: Map<string, FakeBot>;
  addChat(chat: Omit<FakeChat, 'member'> & { member?: FakeMember }): FakeChat;
  /** Deletes every message. */
  clear(): void;
  /** Existing messages, oldest first. */
  messages(): FakeMessage[];
  /** Faults for the next create calls, one each; undefined for none. */
  readonly faults: (Fault | FakeRefusal | undefined)[];
  /** Faults for the next deletes, one each. */
  readonly deleteRefusals: FakeRefusal[];
  /** Number of calls by method, e.g. `sendMessage`. */
  readonly calls: Record<string, number>;
}

export const ADMINISTRATOR: FakeMember = { status: 'administrator', can_post_messages: true };

const TEXT_MAX = 4096;
const CAPTION_MAX = 1024;
const RATE_LIMITED: FakeRefusal = {
  status: 429,
  description: 'Too Many Requests: retry after 30',
  parameters: { retry_after: 30 },
};

/** Most messages that a group takes from a bot within a minute. */
const GROUP_MAX = 20;
const GROUP_MS = 60_000;

export async function startFakeTelegram({ now, port, tap }: WireOptions): Promise<FakeTelegram> {
  const bots: FakeTelegram['bots'] = new Map();
  const chats: FakeChat[] = [];
  const messages = new Map<string, FakeMessage>();
  const faults: FakeTelegram['faults'] = [];
  const deleteRefusals: FakeRefusal[] = [];
  const calls: Record<string, number> = {};
  const sentAt = new Map<number, number[]>();
  let lastId = 0;

  function chatOf(named: unknown): FakeChat | FakeRefusal {
    const name = String(named);
    const chat = chats.find(({ id, username }) => String(id) === name || (username && `@${username}` === name));
    if (chat === undefined) return bad('chat not found');
    if (chat.movedTo === undefined) return chat;
    return bad('group chat was upgraded to a supergroup chat', { migrate_to_chat_id: chat.movedTo });
  }

  function view({ id, chatId, text, file, replyTo }: FakeMessage) {
    const { type, title, username } = chats.find((chat) => chat.id === chatId) as FakeChat;
    const head = { date: Math.floor(now().getTime() / 1_000), chat: { id: chatId, type, title, username } };
    return {
      message_id: id,
      ...head,
      ...(file === null ? { text } : { caption: text }),
      ...(replyTo !== null && { reply_to_message: { message_id: replyTo, ...head } }),
    };
  }

  function store(chat: FakeChat, made: Pick<FakeMessage, 'text' | 'file' | 'replyTo'>) {
    const message = { id: (lastId += 1), chatId: chat.id, ...made };
    messages.set(`${chat.id}:${message.id}`, message);
    sentAt.set(chat.id, [...(sentAt.get(chat.id) ?? []), now().getTime()]);
    return view(message);
  }

  /** The refusal of a message to a group that has taken as many in the last minute as it does. */
  function overPace(chat: FakeChat): FakeRefusal | null {
    const blocking = chat.type.endsWith('group') ? sentAt.get(chat.id)?.at(-GROUP_MAX) : undefined;
    const seconds = blocking === undefined ? 0 : Math.ceil((blocking + GROUP_MS - now().getTime()) / 1_000);
    if (seconds <= 0) return null;
    const description = `Too Many Requests: retry after ${seconds}`;
    return { status: 429, description, parameters: { retry_after: seconds } };
  }

  /** Creates messages in a chat to which the bot may post. */
  function create(named: unknown, make: (chat: FakeChat) => unknown): WireAnswer | NoAnswer {
    const fault = faults.shift();
    if (typeof fault === 'object') return refused(fault);
    if (fault === 'rate_limited') return refused(RATE_LIMITED);
    const chat = chatOf(named);
    if ('description' in chat) return refused(chat);
    if (chat.member.status === 'kicked') {
      return refused({ status: 403, description: `Forbidden: bot was kicked from the ${chat.type} chat` });
    }
    const tooMany = overPace(chat);
    if (tooMany !== null) return refused(tooMany);
    const answer = withFault(fault, () => {
      const made = make(chat);
      return isRefusal(made) ? refused(made) : ok(made);
    });
    return answer !== DROPPED && typeof answer === 'object' && answer.status === 500
      ? { status: 502, text: '<html><h1>502 Bad Gateway</h1></html>' }
      : answer;
  }

  function sendMessage({ json }: WireCall): WireAnswer | NoAnswer {
    const { chat_id: named, text, reply_parameters: reply } = json as SendMessage;
    return create(named, (chat) => {
      if (text === '') return bad('message text is empty');
      if (text.length > TEXT_MAX) return bad('message is too long');
      return store(chat, { text, file: null, replyTo: reply?.message_id ?? null });
    });
  }

  async function sendFile({ form }: WireCall, kind: 'photo' | 'animation'): Promise<WireAnswer | NoAnswer> {
    const file = await fileOf(form, kind, kind);
    const text = textOf(form, 'caption');
    return create(form?.get('chat_id'), (chat) => {
      if (text.length > CAPTION_MAX) return bad('message caption is too long');
      const fits = kind === 'animation' ? file?.type === 'image/gif' : file?.type !== 'image/gif';
      return file === null || !fits ? bad('IMAGE_PROCESS_FAILED') : store(chat, { text, file, replyTo: null });
    });
  }

  async function sendMediaGroup({ form }: WireCall): Promise<WireAnswer | NoAnswer> {
    const media = JSON.parse(textOf(form, 'media')) as { type: string; media: string; caption?: string }[];
    const files = await Promise.all(media.map((item) => fileOf(form, item.media.replace('attach://', ''), 'photo')));
    return create(form?.get('chat_id'), (chat) => {
      if (media.length < 2 || media.length > 10) return bad('wrong number of media in the album');
      if (media.some(({ caption = '' }) => caption.length > CAPTION_MAX)) return bad('message caption is too long');
      if (files.some((file) => file === null || file.type === 'image/gif')) return bad('IMAGE_PROCESS_FAILED');
      return files.map((file, index) => store(chat, { text: media[index]?.caption ?? '', file, replyTo: null }));
    });
  }

  function deleteMessages({ json }: WireCall): WireAnswer {
    const { chat_id: named, message_ids: ids } = json as { chat_id: unknown; message_ids: number[] };
    const refusal = deleteRefusals.shift();
    if (refusal !== undefined) return refused(refusal);
    const chat = chatOf(named);
    if ('description' in chat) return refused(chat);
    for (const id of ids) messages.delete(`${chat.id}:${id}`);
    return ok(true);
  }

  function getChat(named: unknown): WireAnswer {
    const chat = chatOf(named);
    if ('description' in chat) return refused(chat);
    const { member: _member, movedTo: _movedTo, ...shown } = chat;
    return ok({ ...shown, accent_color_id: 0, max_reaction_count: 11 });
  }

  function getChatMember(named: unknown, bot: FakeBot): WireAnswer {
    const chat = chatOf(named);
    return 'description' in chat ? refused(chat) : ok({ user: { ...bot, is_bot: true }, ...chat.member });
  }

  const methods: Record<string, (call: WireCall, bot: FakeBot) => Answer> = {
    getMe: (_call, bot) => ok({ ...bot, is_bot: true, first_name: 'A bot' }),
    getChat: ({ json }) => getChat((json as { chat_id: unknown }).chat_id),
    getChatMember: ({ json }, bot) => getChatMember((json as { chat_id: unknown }).chat_id, bot),
    sendMessage,
    sendPhoto: (call) => sendFile(call, 'photo'),
    sendAnimation: (call) => sendFile(call, 'animation'),
    sendMediaGroup,
    deleteMessages,
  };

  const wire = await startWire({ now, port, tap }, (call) => {
    const [, token = '', method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(call.path) ?? [];
    calls[method] = (calls[method] ?? 0) + 1;
    const bot = bots.get(token);
    if (!/^\d+:[\w-]+$/.test(token) || methods[method] === undefined) {
      return refused({ status: 404, description: 'Not Found' });
    }
    if (bot === undefined) return refused({ status: 401, description: 'Unauthorized' });
    return methods[method](call, bot);
  });

  return {
    ...wire,
    bots,
    addChat: (chat) => {
      const added = { member: ADMINISTRATOR, ...chat };
      chats.push(added);
      return added;
    },
    clear: () => messages.clear(),
    messages: () => [...messages.values()],
    faults,
    deleteRefusals,
    calls,
  };
}

type Answer = WireAnswer | NoAnswer | Promise<WireAnswer | NoAnswer>;

interface SendMessage {
  readonly chat_id: unknown;
  readonly text: string;
  readonly reply_parameters?: { readonly message_id: number };
}

function ok(result: unknown): WireAnswer {
  return { status: 200, json: { ok: true, result } };
}

function bad(words: string, parameters?: FakeRefusal['parameters']): FakeRefusal {
  return { status: 400, description: `Bad Request: ${words}`, ...(parameters !== undefined && { parameters }) };
}

function isRefusal(made: unknown): made is FakeRefusal {
  return typeof made === 'object' && made !== null && 'description' in made;
}

function refused({ status, description, parameters }: FakeRefusal): WireAnswer {
  return { status, json: { ok: false, error_code: status, description, ...(parameters && { parameters }) } };
}

function textOf(form: FormData | undefined, name: string): string {
  const value = form?.get(name);
  return typeof value === 'string' ? value : '';
}

async function fileOf(form: FormData | undefined, name: string, kind: FakeFile['kind']): Promise<FakeFile | null> {
  const value = form?.get(name);
  if (!(value instanceof File)) return null;
  return { kind, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) };
}
