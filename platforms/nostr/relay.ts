/** Talks to one relay over WebSocket: offers an event, or asks for events (NIP-01). Relays that ask for it get a sign-in (NIP-42). */
import { z } from 'zod';
import { NotSentError } from '../http.ts';
import type { MessageSocket, PlatformIo } from '../io.ts';
import type { NostrCredential } from './credential.ts';
import { KIND, type SignedEvent, signEvent } from './event.ts';

/** The outcome of an event at one relay. */
export interface Offer {
  readonly relay: string;
  /** `unreached`: it was not sent. `unknown`: it was sent, and no answer came. */
  readonly outcome: 'accepted' | 'refused' | 'unreached' | 'unknown';
  /** What the relay said, or why it was not reached. */
  readonly words: string;
}

/** A filter of events, as REQ takes it. */
export type Filter = Readonly<Record<string, readonly (string | number)[] | number>>;

const Message = z.union([
  z.tuple([z.literal('OK'), z.string(), z.boolean(), z.string().default('')]),
  z.tuple([z.literal('AUTH'), z.string()]),
  z.tuple([
    z.literal('EVENT'),
    z.string(),
    z.object({
      id: z.string(),
      kind: z.number(),
      pubkey: z.string(),
      created_at: z.number(),
      tags: z.array(z.array(z.string())),
      content: z.string(),
    }),
  ]),
  z.tuple([z.literal('EOSE'), z.string()]),
  z.tuple([z.literal('CLOSED'), z.string(), z.string().default('')]),
  z.tuple([z.literal('NOTICE'), z.string()]),
]);
type Message = z.infer<typeof Message>;
export type FoundEvent = Extract<Message, ['EVENT', ...unknown[]]>[2];

/** A relay says by this prefix that it wants a sign-in first. */
const WANTS_AUTH = 'auth-required:';

/** Name of the only subscription on a connection. */
const SUBSCRIPTION = 'carillon';

/** Most events that one page may have. Many relays give no more, and some give fewer. */
const PAGE_MAX = 500;

/** Most events that are read from one relay page by page. */
export const EVENTS_MAX = 5_000;

/** Offers an event; a relay that has it already accepts it. */
export async function offer(
  io: PlatformIo,
  relay: string,
  event: SignedEvent,
  credential: NostrCredential,
): Promise<Offer> {
  const socket = await io.openSocket(relay, { signal: io.signal }).catch(rethrowUnlessNotSent);
  if (socket instanceof NotSentError) return { relay, outcome: 'unreached', words: socket.message };
  try {
    const request = JSON.stringify(['EVENT', event]);
    socket.send(request);
    const signIn = signInOnce(io, relay, socket, credential);
    for (;;) {
      const message = await nextMessage(socket);
      if (message === null && signIn.lacksChallenge()) {
        return { relay, outcome: 'refused', words: `${WANTS_AUTH} the relay wants a sign-in and sent no challenge` };
      }
      if (message === null) return { relay, outcome: 'unknown', words: 'The relay did not answer.' };
      if (message[0] === 'AUTH') signIn.challenge(message[1]);
      if (message[0] !== 'OK') continue;
      const [, id, isAccepted, words] = message;
      if (id === signIn.eventId()) {
        if (!isAccepted) return { relay, outcome: 'refused', words };
        socket.send(request);
      } else if (id === event.id) {
        if (!isAccepted && words.startsWith(WANTS_AUTH) && signIn.want()) continue;
        // A relay that has the event may say so instead of accepting it again.
        const hasIt = isAccepted || words.startsWith('duplicate:');
        return { relay, outcome: hasIt ? 'accepted' : 'refused', words };
      }
    }
  } finally {
    socket.close();
  }
}

/** A connection to a relay that is asked for events. */
interface Asked {
  readonly socket: MessageSocket;
  readonly signIn: ReturnType<typeof signInOnce>;
}

/** The newest events that a relay has, at most a page of them; null when it did not answer completely. */
export function ask(
  io: PlatformIo,
  relay: string,
  filter: Filter,
  credential: NostrCredential,
): Promise<readonly FoundEvent[] | null> {
  return asking(io, relay, credential, (asked) => readPage(asked, filter));
}

/** What a relay gave page by page. */
export interface AllEvents {
  readonly events: readonly FoundEvent[];
  /** False when the relay may have more: it broke off, or gave {@link EVENTS_MAX}. */
  readonly isComplete: boolean;
}

/** All events that a relay has, newest first; null when it did not answer. */
export function askAll(
  io: PlatformIo,
  relay: string,
  filter: Filter,
  credential: NostrCredential,
): Promise<AllEvents | null> {
  return asking(io, relay, credential, async (asked) => {
    const found = new Map<string, FoundEvent>();
    let until = Infinity;
    for (;;) {
      const read = await readPage(asked, until === Infinity ? filter : { ...filter, until });
      if (read === null) return until === Infinity ? null : { events: [...found.values()], isComplete: false };
      // Some relays do not know `until`, and send what is new meanwhile.
      const page = read.filter(({ created_at: at }) => at <= until);
      for (const event of page) found.set(event.id, event);
      if (page.length === 0) return { events: [...found.values()], isComplete: true };
      if (found.size >= EVENTS_MAX) return { events: [...found.values()], isComplete: false };
      const times = page.map(({ created_at: at }) => at);
      const oldest = Math.min(...times);
      // The end of a page may be in the middle of a second: that one is read again.
      until = Math.max(...times) > oldest ? oldest : oldest - 1;
    }
  });
}

async function asking<Result>(
  io: PlatformIo,
  relay: string,
  credential: NostrCredential,
  read: (asked: Asked) => Promise<Result | null>,
): Promise<Result | null> {
  const socket = await io.openSocket(relay, { signal: io.signal }).catch(rethrowUnlessNotSent);
  if (socket instanceof NotSentError) return null;
  try {
    return await read({ socket, signIn: signInOnce(io, relay, socket, credential) });
  } finally {
    socket.close();
  }
}

/** Null when the relay did not answer completely. */
async function readPage({ socket, signIn }: Asked, filter: Filter): Promise<FoundEvent[] | null> {
  const request = JSON.stringify(['REQ', SUBSCRIPTION, { limit: PAGE_MAX, ...filter }]);
  socket.send(request);
  const found: FoundEvent[] = [];
  for (;;) {
    const message = await nextMessage(socket);
    if (message === null || found.length > PAGE_MAX) return null;
    if (message[0] === 'EOSE') return found;
    if (message[0] === 'EVENT') found.push(message[2]);
    if (message[0] === 'AUTH') signIn.challenge(message[1]);
    if (message[0] === 'CLOSED' && !(message[2].startsWith(WANTS_AUTH) && signIn.want())) return null;
    if (message[0] === 'OK' && message[1] === signIn.eventId()) {
      if (!message[2]) return null;
      socket.send(request);
    }
  }
}

function rethrowUnlessNotSent(error: unknown): NotSentError {
  if (error instanceof NotSentError) return error;
  throw error;
}

/** The next message of a known form; null when there is none. */
async function nextMessage(socket: MessageSocket): Promise<Message | null> {
  for (;;) {
    const text = await socket.next();
    if (text === null) return null;
    const parsed = Message.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Signs in at most once on a connection, as soon as the relay both asks for it and has sent a challenge. */
function signInOnce(io: PlatformIo, relay: string, socket: MessageSocket, { secretKey }: NostrCredential) {
  let challenge: string | null = null;
  let isWanted = false;
  let eventId: string | null = null;
  const send = () => {
    if (challenge === null || !isWanted || eventId !== null) return;
    const tags = [
      ['relay', relay],
      ['challenge', challenge],
    ];
    const event = signEvent({ kind: KIND.relayAuth, createdAt: io.now(), tags, content: '' }, secretKey);
    eventId = event.id;
    socket.send(JSON.stringify(['AUTH', event]));
  };
  return {
    /** Id of the sign-in that was sent; null before. */
    eventId: () => eventId,
    lacksChallenge: () => isWanted && eventId === null,
    challenge: (text: string) => {
      challenge = text;
      send();
    },
    /** @returns false when it was sent already, without effect */
    want: () => {
      if (eventId !== null) return false;
      isWanted = true;
      send();
      return true;
    },
  };
}
