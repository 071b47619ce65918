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

/** Most events that a question may be answered with. */
const FOUND_MAX = 500;

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

/** The events that a relay has; null when it did not answer completely. */
export async function ask(
  io: PlatformIo,
  relay: string,
  filter: Filter,
  credential: NostrCredential,
): Promise<readonly FoundEvent[] | null> {
  const socket = await io.openSocket(relay, { signal: io.signal }).catch(rethrowUnlessNotSent);
  if (socket instanceof NotSentError) return null;
  try {
    const request = JSON.stringify(['REQ', SUBSCRIPTION, { limit: FOUND_MAX, ...filter }]);
    socket.send(request);
    const signIn = signInOnce(io, relay, socket, credential);
    const found: FoundEvent[] = [];
    for (;;) {
      const message = await nextMessage(socket);
      if (message === null || found.length > FOUND_MAX) return null;
      if (message[0] === 'EOSE') return found;
      if (message[0] === 'EVENT') found.push(message[2]);
      if (message[0] === 'AUTH') signIn.challenge(message[1]);
      if (message[0] === 'CLOSED' && !(message[2].startsWith(WANTS_AUTH) && signIn.want())) return null;
      if (message[0] === 'OK' && message[1] === signIn.eventId()) {
        if (!message[2]) return null;
        socket.send(request);
      }
    }
  } finally {
    socket.close();
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
