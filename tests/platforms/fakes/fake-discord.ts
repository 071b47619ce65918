/** A small Discord: webhooks, one bot, channels of servers, messages, and the consent page. */
import { type Consent, createConsent } from './fake-consent.ts';
import {
  type Fault,
  type NoAnswer,
  startWire,
  type Wire,
  type WireAnswer,
  type WireCall,
  withFault,
  type WireOptions,
} from './wire.ts';

/** An error in Discord's format. */
export interface FakeDiscordError {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly errors?: unknown;
  readonly retry_after?: number;
}

interface FakeWebhook {
  readonly id: string;
  token: string;
  readonly name: string | null;
  readonly channelId: string;
  readonly guildId: string;
}

export interface FakeChannel {
  readonly id: string;
  readonly guildId: string;
  readonly name: string;
  /** 0 for text, 2 for voice, 5 for announcements. */
  readonly type: number;
  readonly position: number;
}

export interface FakeAttachment {
  readonly filename: string;
  readonly description: string | null;
  readonly type: string;
  readonly bytes: Buffer;
}

export interface FakeDiscordMessage {
  readonly id: string;
  readonly channelId: string;
  /** The webhook's id, or the bot's. */
  readonly authorId: string;
  readonly content: string;
  readonly nonce: string | undefined;
  readonly allowedMentions: unknown;
  readonly attachments: readonly FakeAttachment[];
  readonly createdAt: Date;
}

export interface FakeDiscord extends Wire {
  /** The consent page. */
  readonly consent: Consent;
  /** The bot; null when its token is invalid. */
  bot: { readonly id: string; readonly token: string } | null;
  readonly channels: FakeChannel[];
  /** @param channelId (Default: 700) */
  addWebhook(name?: string | null, channelId?: string): FakeWebhook;
  removeWebhook(id: string): void;
  /** Posts a message of another author in a channel. */
  writeAs(authorId: string, channelId: string, content: string): void;
  /** Deletes every message. */
  clear(): void;
  /** Existing messages, oldest first. */
  messages(): FakeDiscordMessage[];
  /** The server to which users add the bot. */
  guildId: string;
  /** Whether lists of messages contain nonces. */
  listsNonces: boolean;
  /** Whether the bot may read the history of channels; without it, Discord lists none. */
  readsHistory: boolean;
  /** Moves a webhook, as an administrator of the server does. */
  moveWebhook(id: string, channelId: string): void;
  /** Faults for the next create calls, one each; undefined for none. */
  readonly faults: (Fault | FakeDiscordError | undefined)[];
  /** Faults for the next deletes, one each. */
  readonly deleteErrors: FakeDiscordError[];
  /** Number of calls by method and path without ids, e.g. `POST /webhooks/:id/:token`. */
  readonly calls: Record<string, number>;
}

const ROOT = '/api/v10';
const CONTENT_MAX = 2_000;
const NONCE_MAX = 25;
const UNKNOWN_WEBHOOK = { status: 404, code: 10_015, message: 'Unknown Webhook' };
const UNKNOWN_MESSAGE = { status: 404, code: 10_008, message: 'Unknown Message' };
const UNKNOWN_CHANNEL = { status: 404, code: 10_003, message: 'Unknown Channel' };
const UNAUTHORIZED = { status: 401, code: 0, message: '401: Unauthorized' };
const RATE_LIMITED = { status: 429, code: 0, message: 'You are being rate limited.', retry_after: 29.113 };

export async function startFakeDiscord({ now, port, tap }: WireOptions): Promise<FakeDiscord> {
  const consent = createConsent();
  const webhooks = new Map<string, FakeWebhook>();
  const messages = new Map<string, FakeDiscordMessage>();
  const calls: Record<string, number> = {};
  let lastId = 1_400_000_000_000_000_000n;
  const nextId = () => String((lastId += 1n));

  const fake: Omit<FakeDiscord, keyof Wire> = {
    consent,
    bot: { id: '900', token: 'token-of-the-bot' },
    channels: [],
    addWebhook: (name = 'The Bells', channelId = '700') => {
      const id = nextId();
      const webhook = { id, token: `token-of-${id}`, name, channelId, guildId: fake.guildId };
      webhooks.set(id, webhook);
      return webhook;
    },
    removeWebhook: (id) => void webhooks.delete(id),
    writeAs: (authorId, channelId, content) => void store({ authorId, channelId, content, attachments: [] }),
    clear: () => messages.clear(),
    messages: () => [...messages.values()],
    guildId: '800',
    listsNonces: false,
    readsHistory: true,
    moveWebhook: (id, channelId) => {
      const webhook = webhooks.get(id);
      if (webhook !== undefined) webhooks.set(id, { ...webhook, channelId });
    },
    faults: [],
    deleteErrors: [],
    calls,
  };

  function store(
    made: Pick<FakeDiscordMessage, 'authorId' | 'channelId' | 'content' | 'attachments'> & Partial<FakeDiscordMessage>,
  ): FakeDiscordMessage {
    const message = { id: nextId(), nonce: undefined, allowedMentions: undefined, createdAt: now(), ...made };
    messages.set(message.id, message);
    return message;
  }

  function view(message: FakeDiscordMessage, withNonce: boolean) {
    const { id, channelId, authorId, content, createdAt, nonce, attachments } = message;
    const none = { mentions: [], mention_roles: [], embeds: [], components: [] };
    return {
      id,
      type: 0,
      flags: 0,
      channel_id: channelId,
      content,
      timestamp: createdAt.toISOString(),
      edited_timestamp: null,
      author: authorView(authorId),
      attachments: attachments.map(({ filename, bytes }, index) => {
        const url = `https://cdn.discordapp.com/attachments/${channelId}/${id}/${filename}`;
        return { id: String(index), filename, size: bytes.length, url, proxy_url: url };
      }),
      pinned: false,
      mention_everyone: false,
      tts: false,
      ...none,
      ...(withNonce && nonce !== undefined && { nonce }),
    };
  }

  async function create(
    call: WireCall,
    place: Pick<FakeDiscordMessage, 'authorId' | 'channelId'>,
  ): Promise<WireAnswer | NoAnswer> {
    const body = await readMessage(call);
    const fault = fake.faults.shift();
    if (typeof fault === 'object') return refused(fault);
    if (fault === 'rate_limited') return refused(RATE_LIMITED);
    const answer = withFault(fault, () => {
      const { content, nonce = '', attachments } = body;
      if (content.length > CONTENT_MAX) return refused(tooLong('content', CONTENT_MAX));
      if (nonce.length > NONCE_MAX) return refused(tooLong('nonce', NONCE_MAX));
      if (content.trim() === '' && attachments.length === 0) {
        return refused({ status: 400, code: 50_006, message: 'Cannot send an empty message' });
      }
      const known = fake.messages().find((one) => body.enforceNonce && one.nonce === nonce && isSame(one, place));
      const made = known ?? store({ ...place, ...body, content: content.trim(), nonce: body.nonce });
      return { status: 200, json: view(made, true) };
    });
    return typeof answer === 'object' && answer.status === 500 ? { status: 502, text: '<html>502</html>' } : answer;
  }

  function execute(call: WireCall, webhook: FakeWebhook): Promise<WireAnswer | NoAnswer> | WireAnswer {
    // Without `wait`, Discord reports neither the message nor whether it was created.
    if (call.query.get('wait') !== 'true') return { status: 204, text: '' };
    return create(call, { authorId: webhook.id, channelId: webhook.channelId });
  }

  function messagesIn(channelId: string): FakeDiscordMessage[] {
    return fake.messages().filter((one) => one.channelId === channelId);
  }

  function list({ query }: WireCall, channelId: string): WireAnswer {
    const newestFirst = fake.readsHistory ? messagesIn(channelId).toReversed() : [];
    const shown = newestFirst.slice(0, Number(query.get('limit') ?? 50));
    return { status: 200, json: shown.map((message) => view(message, fake.listsNonces)) };
  }

  function remove(id: string, webhook?: FakeWebhook): WireAnswer {
    const error = fake.deleteErrors.shift();
    if (error !== undefined) return refused(error);
    // A webhook sees its own messages only, and those of its present channel.
    const message = messages.get(id);
    const isOwn = message?.authorId === webhook?.id && message?.channelId === webhook?.channelId;
    const isSeen = webhook === undefined || isOwn;
    return isSeen && messages.delete(id) ? { status: 204, text: '' } : refused(UNKNOWN_MESSAGE);
  }

  function webhookRoute(call: WireCall, [id = '', token = '', , messageId]: string[]): Answer {
    const webhook = webhooks.get(id);
    if (webhook === undefined) return refused(UNKNOWN_WEBHOOK);
    if (webhook.token !== token) return refused({ status: 401, code: 50_027, message: 'Invalid Webhook Token' });
    if (messageId !== undefined) return remove(messageId, webhook);
    if (call.method === 'POST') return execute(call, webhook);
    const { name, channelId, guildId } = webhook;
    const shown = { id, type: 1, name, avatar: null, channel_id: channelId, guild_id: guildId, application_id: null };
    return { status: 200, json: { ...shown, token } };
  }

  function channelRoute(call: WireCall, [id = '', , messageId]: string[], botId: string): Answer {
    const channel = fake.channels.find((one) => one.id === id);
    if (channel === undefined) return refused(UNKNOWN_CHANNEL);
    if (messageId !== undefined) return remove(messageId);
    if (call.path.endsWith('/messages')) {
      return call.method === 'POST' ? create(call, { authorId: botId, channelId: id }) : list(call, id);
    }
    const last_message_id = messagesIn(id).at(-1)?.id ?? null;
    return {
      status: 200,
      json: { id, type: channel.type, name: channel.name, guild_id: channel.guildId, last_message_id },
    };
  }

  function guildRoute([id]: string[]): WireAnswer {
    const own = fake.channels.filter(({ guildId }) => guildId === id);
    return { status: 200, json: own.map(({ guildId, ...channel }) => ({ ...channel, guild_id: guildId })) };
  }

  function grant(call: WireCall): WireAnswer {
    const form = new URLSearchParams(call.bytes.toString());
    const clientId = form.get('client_id') ?? '';
    const app = consent.apps.get(clientId);
    if (app === undefined || app.clientSecret !== form.get('client_secret')) {
      return { status: 401, json: { error: 'invalid_client' } };
    }
    if (form.get('grant_type') === 'client_credentials') {
      return {
        status: 200,
        json: { access_token: 'app', token_type: 'Bearer', expires_in: 604_800, scope: 'identify' },
      };
    }
    if (consent.redeem(clientId, form) === null) {
      const error_description = 'Invalid "code" in request.';
      return { status: 400, json: { error: 'invalid_grant', error_description } };
    }
    const token = { token_type: 'Bearer', access_token: 'access', expires_in: 604_800, refresh_token: 'refresh' };
    const scope = app.scope;
    if (scope !== 'webhook.incoming') return { status: 200, json: { ...token, scope, guild: { id: fake.guildId } } };
    const { id, token: secret, name, channelId, guildId } = fake.addWebhook();
    const webhook = { id, token: secret, name, channel_id: channelId, guild_id: guildId, type: 1 };
    return { status: 200, json: { ...token, scope, webhook } };
  }

  const wire = await startWire({ now, port, tap }, (call) => {
    if (call.path === '/oauth2/authorize') return consent.authorize(call.query);
    const agent = call.headers['user-agent'] ?? '';
    if (!/^DiscordBot \(https?:\/\/\S+, [\d.]+\)$/.test(agent)) {
      return refused({ status: 403, code: 40_333, message: 'internal network error' });
    }
    if (!call.path.startsWith(`${ROOT}/`)) return refused({ status: 404, code: 0, message: '404: Not Found' });
    const [kind = '', ...ids] = call.path.slice(ROOT.length + 1).split('/');
    const route = `${call.method} ${routeOf(kind, ids)}`;
    calls[route] = (calls[route] ?? 0) + 1;
    if (route === 'POST /oauth2/token') return grant(call);
    if (kind === 'webhooks') return webhookRoute(call, ids);
    if (fake.bot === null || call.headers.authorization !== `Bot ${fake.bot.token}`) return refused(UNAUTHORIZED);
    if (kind === 'channels') return channelRoute(call, ids, fake.bot.id);
    if (kind === 'guilds') return guildRoute(ids);
    return { status: 200, json: { id: fake.bot.id, username: 'carillon', bot: true } };
  });

  return Object.assign(fake, wire);
}

type Answer = WireAnswer | NoAnswer | Promise<WireAnswer | NoAnswer>;

function authorView(id: string) {
  const shown = { id, username: 'somebody', discriminator: '0000', avatar: null, global_name: null };
  return { ...shown, primary_guild: null, public_flags: 0, flags: 0 };
}

/** Converts `webhooks`, `[1, t, messages, 2]` to `/webhooks/:id/:token/messages/:id`. */
function routeOf(kind: string, ids: readonly string[]): string {
  const named = ids.map((id, index) => {
    if (/^\d+$/.test(id)) return ':id';
    return kind === 'webhooks' && index === 1 ? ':token' : id;
  });
  return `/${[kind, ...named].join('/')}`;
}

function isSame(message: FakeDiscordMessage, place: Pick<FakeDiscordMessage, 'authorId' | 'channelId'>): boolean {
  return message.authorId === place.authorId && message.channelId === place.channelId;
}

async function readMessage({ json, form }: WireCall) {
  const payload = form === undefined ? json : (JSON.parse(String(form.get('payload_json'))) as unknown);
  const body = payload as {
    content: string;
    nonce?: string;
    enforce_nonce?: boolean;
    allowed_mentions?: unknown;
    attachments?: { id: number; filename: string; description?: string }[];
  };
  const attachments: FakeAttachment[] = [];
  for (const { id, filename, description = null } of body.attachments ?? []) {
    const file = form?.get(`files[${id}]`) as File;
    attachments.push({ filename, description, type: file.type, bytes: Buffer.from(await file.arrayBuffer()) });
  }
  const { content, nonce, enforce_nonce: enforceNonce = false, allowed_mentions: allowedMentions } = body;
  return { content, nonce, enforceNonce, allowedMentions, attachments };
}

function tooLong(field: string, max: number): FakeDiscordError {
  const message = `Must be ${max} or fewer in length.`;
  const errors = { [field]: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message }] } };
  return { status: 400, code: 50_035, message: 'Invalid Form Body', errors };
}

function refused({ status, ...error }: FakeDiscordError): WireAnswer {
  return { status, json: error };
}
