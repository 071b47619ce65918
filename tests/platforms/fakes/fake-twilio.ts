/** A small server with Twilio's messaging API: one account, unreachable numbers, and the accepted messages. */
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

export const TWILIO = {
  accountSid: `AC${'0123456789abcdef'.repeat(2)}`,
  authToken: 'the-auth-token',
  from: '+15550100999',
};

export interface FakeSms {
  readonly sid: string;
  readonly to: string;
  readonly from: string | null;
  readonly messagingServiceSid: string | null;
  readonly body: string;
  readonly createdAt: Date;
  readonly direction: 'outbound-api' | 'inbound';
  /** By default `queued`. */
  readonly status?: string;
  readonly errorCode?: number;
  readonly errorMessage?: string;
}

/** A network fault, or an error of Twilio. */
export type TwilioFault = Fault | { readonly code: number; readonly status?: number };

export interface FakeTwilio extends Wire {
  messages(): readonly FakeSms[];
  /** Lists a message that was not created through this API. */
  receive(message: Omit<FakeSms, 'sid'>): void;
  /** `active`, `suspended` or `closed`. */
  accountStatus: string;
  authToken: string;
  /** Text that is added before every message. */
  prefix: string;
  /** Faults for the next publishing calls. */
  readonly faults: TwilioFault[];
  /** Responses that replace those of the next calls of a route, such as `GET /Messages.json`. */
  readonly answers: Record<string, WireAnswer[]>;
  readonly calls: Record<string, number>;
}

export async function startFakeTwilio({ now, port, tap }: WireOptions): Promise<FakeTwilio> {
  const messages: FakeSms[] = [];
  const faults: TwilioFault[] = [];
  const answers: FakeTwilio['answers'] = {};
  const calls: Record<string, number> = {};
  const root = `/2010-04-01/Accounts/${TWILIO.accountSid}`;

  function make(message: Omit<FakeSms, 'sid'>): FakeSms {
    const made = { sid: `SM${String(messages.length + 1).padStart(32, '0')}`, ...message };
    messages.push(made);
    return made;
  }

  function store(call: WireCall): WireAnswer {
    const form = new URLSearchParams(call.bytes.toString());
    const [to, from, service, body] = ['To', 'From', 'MessagingServiceSid', 'Body'].map((name) => form.get(name));
    if (!/^\+[1-9]\d+$/.test(to ?? '')) return refused(21_211, 400, `Invalid 'To' Phone Number: ${to}`);
    if ((from === null) === (service === null)) return refused(21_603, 400, "A 'From' phone number is required.");
    if (!body) return refused(21_602, 400, 'Message body is required.');
    if (body.length > 1_600)
      return refused(21_617, 400, 'The concatenated message body exceeds the 1600 character limit.');
    const made = make({
      to: to ?? '',
      from: from ?? null,
      messagingServiceSid: service ?? null,
      body: fake.prefix + body,
      createdAt: now(),
      direction: 'outbound-api',
    });
    return { status: 201, json: messageView(made) };
  }

  function list({ query }: WireCall): WireAnswer {
    const [to, from] = [query.get('To'), query.get('From')];
    // Queued messages have no sending date.
    const isListed = (message: FakeSms) =>
      (to === null || message.to === to) && (from === null || message.from === from) && !query.has('DateSent>');
    const listed = messages.filter(isListed).toReversed();
    return { status: 200, json: { messages: listed.slice(0, Number(query.get('PageSize') ?? 50)).map(messageView) } };
  }

  function create(call: WireCall): WireAnswer | NoAnswer {
    const fault = faults.shift();
    return typeof fault === 'object'
      ? refused(fault.code, fault.status ?? 400, 'The number is not for us.')
      : withFault(fault, () => store(call));
  }

  const routes: Record<string, (call: WireCall) => WireAnswer | NoAnswer> = {
    [`GET ${root}.json`]: () => ({
      status: 200,
      json: { sid: TWILIO.accountSid, friendly_name: 'Bells', status: fake.accountStatus, type: 'Full' },
    }),
    [`POST ${root}/Messages.json`]: create,
    [`GET ${root}/Messages.json`]: list,
  };

  const wire = await startWire({ now, port, tap }, (call) => {
    const route = `${call.method} ${call.path}`;
    const name = route.replace(root, '');
    calls[name] = (calls[name] ?? 0) + 1;
    const basic = Buffer.from(`${TWILIO.accountSid}:${fake.authToken}`).toString('base64');
    if (call.headers.authorization !== `Basic ${basic}`) return refused(20_003, 401, 'Authenticate');
    return (
      answers[name]?.shift() ??
      routes[route]?.(call) ??
      refused(20_404, 404, `The requested resource ${call.path} was not found`)
    );
  });

  const fake: FakeTwilio = {
    ...wire,
    messages: () => messages,
    receive: (message) => void make(message),
    accountStatus: 'active',
    authToken: TWILIO.authToken,
    prefix: '',
    faults,
    answers,
    calls,
  };
  return fake;
}

/** A message in Twilio's format. */
export function messageView(message: FakeSms) {
  const { sid, to, from, messagingServiceSid, body, createdAt, direction } = message;
  return {
    sid,
    account_sid: TWILIO.accountSid,
    api_version: '2010-04-01',
    to,
    from,
    messaging_service_sid: messagingServiceSid,
    body,
    status: message.status ?? 'queued',
    direction,
    num_segments: '1',
    num_media: '0',
    price: null,
    price_unit: null,
    error_code: message.errorCode ?? null,
    error_message: message.errorMessage ?? null,
    date_created: createdAt.toUTCString().replace('GMT', '+0000'),
    date_sent: null,
    date_updated: createdAt.toUTCString().replace('GMT', '+0000'),
    uri: `/2010-04-01/Accounts/${TWILIO.accountSid}/Messages/${sid}.json`,
    subresource_uris: { media: `/2010-04-01/Accounts/${TWILIO.accountSid}/Messages/${sid}/Media.json` },
  };
}

function refused(code: number, status: number, message: string): WireAnswer {
  return { status, json: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status } };
}
