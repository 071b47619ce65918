/**
 * A small server with Slack's Web API: one workspace, its channels, a bot, uploads without a message, and Slack's
 * version of OAuth.
 */
import { type Consent, createConsent } from './fake-consent.ts';
import {
  bearer,
  type Fault,
  type NoAnswer,
  startWire,
  type Wire,
  type WireAnswer,
  type WireCall,
  withFault,
  type WireOptions,
} from './wire.ts';

export interface FakeChannel {
  readonly id: string;
  readonly name: string;
  isArchived: boolean;
  /** Whether the bot is a member. */
  isMember: boolean;
}

export interface FakeBot {
  readonly token: string;
  readonly scopes: Set<string>;
  isRevoked: boolean;
}

export interface FakeMessage {
  readonly channelId: string;
  /** The raw text. */
  readonly source: string;
  /** The text as people see it. */
  readonly text: string;
  readonly files: readonly FakeFile[];
}

export interface FakeFile {
  readonly id: string;
  readonly filename: string;
  readonly altText: string | null;
  readonly length: number;
  bytes: Buffer | null;
}

/** A network fault, or an error with HTTP 200. */
export type SlackFault = Fault | { readonly error: string };

export interface FakeSlack extends Wire {
  /** The consent page, where users choose the channel `picked`. */
  readonly consent: Consent;
  /** Fields of the exchange response in addition to the token. */
  granted: Record<string, unknown>;
  addChannel(id: string, name: string): FakeChannel;
  addBot(token: string, scopes: readonly string[]): FakeBot;
  messages(): readonly FakeMessage[];
  /** Uploads, including those that no message references. */
  files(): readonly FakeFile[];
  /** Faults for the next publishing calls. */
  readonly faults: SlackFault[];
  /** Number of calls by method. */
  readonly calls: Record<string, number>;
}

/** Scopes that the install requests for a bot. */
export const BOT_SCOPES = ['chat:write', 'chat:write.public', 'files:write', 'incoming-webhook'];

const TEAM = { id: 'T0BELLS', name: 'Bell Ringers' };

export async function startFakeSlack({ now, port, tap }: WireOptions): Promise<FakeSlack> {
  const consent = createConsent(',');
  const channels = new Map<string, FakeChannel>();
  const bots = new Map<string, FakeBot>();
  const messages: FakeMessage[] = [];
  const files = new Map<string, FakeFile>();
  const faults: SlackFault[] = [];
  const calls: Record<string, number> = {};

  function create(make: () => WireAnswer): WireAnswer | NoAnswer {
    const fault = faults.shift();
    return typeof fault === 'object' ? refused(fault.error) : withFault(fault, make);
  }

  /** Why the bot cannot post to a channel; null when it can. */
  function obstacle(bot: FakeBot, channel: FakeChannel | undefined, scope: string): WireAnswer | null {
    if (!bot.scopes.has(scope)) return refused('missing_scope', { needed: scope });
    if (channel === undefined) return refused('channel_not_found');
    if (channel.isArchived) return refused('is_archived');
    return channel.isMember || bot.scopes.has('chat:write.public') ? null : refused('not_in_channel');
  }

  function store(channelId: string, source: string, sent: readonly FakeFile[]): string {
    messages.push({ channelId, source, text: shown(source), files: sent });
    return `${Math.floor(now().getTime() / 1_000)}.${String(messages.length).padStart(6, '0')}`;
  }

  function post(call: WireCall, bot: FakeBot): WireAnswer {
    const { channel: id, text } = call.json as { channel: string; text: string };
    const refusal = obstacle(bot, channels.get(id), 'chat:write');
    if (refusal !== null) return refusal;
    if (text === '') return refused('no_text');
    const ts = store(id, text.slice(0, 40_000), []);
    return ok({ channel: id, ts, message: { type: 'message', text, ts } });
  }

  function place(call: WireCall, bot: FakeBot): WireAnswer {
    if (!bot.scopes.has('files:write')) return refused('missing_scope', { needed: 'files:write' });
    const form = formOf(call);
    const [filename, length] = [form.get('filename'), Number(form.get('length'))];
    if (filename === null || !Number.isInteger(length) || length < 1) return refused('invalid_arguments');
    const id = `F0${String(files.size + 1).padStart(6, '0')}`;
    files.set(id, { id, filename, altText: form.get('alt_txt'), length, bytes: null });
    return ok({ upload_url: `${wire.url}/upload/${id}`, file_id: id });
  }

  function upload(call: WireCall, id: string): WireAnswer {
    const file = files.get(id);
    // The upload URL itself grants access; a token must not be sent.
    if (file === undefined || call.headers.authorization !== undefined) return { status: 403, text: 'no' };
    file.bytes = call.bytes;
    return { status: 200, text: `OK - ${call.bytes.length}` };
  }

  function complete(call: WireCall, bot: FakeBot): WireAnswer {
    const named = call.json as { files: { id: string }[]; channel_id: string; initial_comment?: string };
    const refusal = obstacle(bot, channels.get(named.channel_id), 'files:write');
    if (refusal !== null) return refusal;
    const sent = named.files.flatMap(({ id }) => files.get(id) ?? []);
    if (sent.length < named.files.length || sent.some(({ bytes, length }) => bytes?.length !== length)) {
      return refused('file_not_found');
    }
    store(named.channel_id, named.initial_comment ?? '', sent);
    return ok({ files: sent.map(({ id, filename }) => ({ id, title: filename })) });
  }

  function look(call: WireCall, bot: FakeBot): WireAnswer {
    if (!bot.scopes.has('channels:read')) return refused('missing_scope', { needed: 'channels:read' });
    const channel = channels.get(formOf(call).get('channel') ?? '');
    if (channel === undefined) return refused('channel_not_found');
    const { id, name, isArchived, isMember } = channel;
    return ok({ channel: { id, name, is_channel: true, is_archived: isArchived, is_member: isMember } });
  }

  function exchange(call: WireCall): WireAnswer {
    const form = formOf(call);
    const clientId = form.get('client_id') ?? '';
    if (consent.apps.get(clientId)?.clientSecret !== form.get('client_secret')) return refused('bad_client_secret');
    const who = consent.redeem(clientId, form);
    if (who === null) return refused('invalid_code');
    const token = `xoxb-${who}`;
    bots.set(token, { token, scopes: new Set(BOT_SCOPES), isRevoked: false });
    const { id, name } = TEAM;
    return ok({
      access_token: token,
      token_type: 'bot',
      scope: BOT_SCOPES.join(','),
      team: { id, name },
      ...fake.granted,
    });
  }

  const routes: Record<string, (call: WireCall, bot: FakeBot) => WireAnswer | NoAnswer> = {
    'auth.test': (_call, bot) => ({
      ...ok({
        url: 'https://bells.slack.com/',
        team: TEAM.name,
        user: 'bellringer',
        team_id: TEAM.id,
        user_id: 'U0BOT',
      }),
      headers: { 'x-oauth-scopes': [...bot.scopes].join(',') },
    }),
    'conversations.info': look,
    'chat.postMessage': (call, bot) => create(() => post(call, bot)),
    'files.getUploadURLExternal': place,
    'files.completeUploadExternal': (call, bot) => create(() => complete(call, bot)),
  };

  const wire = await startWire({ now, port, tap }, (call) => {
    const method = call.path.replace('/api/', '');
    calls[method] = (calls[method] ?? 0) + 1;
    if (call.path === '/oauth/v2/authorize') {
      // Slack assumes the response type.
      return consent.authorize(new URLSearchParams([...call.query, ['response_type', 'code']]));
    }
    if (method === 'oauth.v2.access') return exchange(call);
    if (call.path.startsWith('/upload/')) return upload(call, call.path.slice('/upload/'.length));
    const token = bearer(call);
    if (token === undefined) return refused('not_authed');
    const bot = bots.get(token);
    if (bot === undefined) return refused('invalid_auth');
    if (bot.isRevoked) return refused('token_revoked');
    return routes[method]?.(call, bot) ?? refused('unknown_method');
  });

  const fake: FakeSlack = {
    ...wire,
    consent,
    granted: {
      incoming_webhook: { channel: '#bells', channel_id: 'C0BELLS', url: 'https://hooks.slack.com/services/x' },
    },
    addChannel: (id, name) => {
      const channel = { id, name, isArchived: false, isMember: true };
      channels.set(id, channel);
      return channel;
    },
    addBot: (token, scopes) => {
      const bot = { token, scopes: new Set(scopes), isRevoked: false };
      bots.set(token, bot);
      return bot;
    },
    messages: () => messages,
    files: () => [...files.values()],
    faults,
    calls,
  };
  return fake;
}

function ok(json: object): WireAnswer {
  return { status: 200, json: { ok: true, ...json } };
}

function refused(error: string, more: object = {}): WireAnswer {
  return { status: 200, json: { ok: false, error, ...more } };
}

function formOf(call: WireCall): URLSearchParams {
  return new URLSearchParams(call.bytes.toString());
}

/** Slack's rendering of a text; a control sequence in angle brackets is replaced by its meaning. */
function shown(source: string): string {
  return source
    .replace(/<!channel>/g, '@channel')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
