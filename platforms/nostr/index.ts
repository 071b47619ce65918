/** Nostr: signed events on relays that the account chooses. */
import { z } from 'zod';
import {
  type ConnectedAccount,
  definePlatform,
  PlatformFailure,
  type PlatformIo,
  type Published,
  type SendPart,
  type Session,
} from '../contract.ts';
import { platformWords, withoutPublishing } from '../http.ts';
import { CHARACTERS } from '../text.ts';
import { type NostrCredential, NostrCredentialsInput, readRelays } from './credential.ts';
import { KIND, publicKeyOf, type SignedEvent, signEvent } from './event.ts';
import { neventOf, npubOf, readSecretKey } from './identifiers.ts';
import { shownImages, uploadImages } from './images.ts';
import { POSTS_MAX, readMetrics } from './metrics.ts';
import { deletionFailure, refusalOf } from './offers.ts';
import { ask, offer } from './relay.ts';
import { limitsOf } from './relay-document.ts';
import { settings } from './settings.ts';

/** Characters of a public key that name an account without a name. */
const SHORT_KEY = 16;

export const nostr = definePlatform<NostrCredential, NostrCredentialsInput>({
  id: 'nostr',
  name: 'Nostr',
  kind: 'broadcast',
  settings,
  // The protocol has no limit. Relays state theirs; this is a common one of those that do.
  text: { maxLength: 8_192, unit: CHARACTERS },
  images: {
    max: 5,
    maxBytes: 10_000_000,
    types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    altTextMax: 1_000,
  },
  thread: { max: 24, onRefusal: 'take_down' },
  firstComment: null,
  permalink: true,
  metrics: ['likes', 'reposts', 'replies'],
  metricsBatch: { max: POSTS_MAX, shared: false },
  // The id of an event is the hash of its content and time: relays store a repeated event once, for ever.
  recovery: { repeatWithinMs: Infinity, readBack: true },
  concurrency: { perProcess: 20, perConnection: 2 },
  // The relays.
  credentialsHoldSettings: true,
  connect: ['credentials'],
  apiVersion: null,
  source: [
    'https://github.com/nostr-protocol/nips/blob/master/01.md',
    'https://github.com/nostr-protocol/nips/blob/master/10.md',
    'https://github.com/nostr-protocol/nips/blob/master/11.md',
    'https://github.com/nostr-protocol/nips/blob/master/92.md',
    'https://github.com/hzrd149/blossom/blob/master/buds/02.md',
  ],
  credentials: NostrCredentialsInput,
  hosted: null,
  connectAccount,
  prepare: uploadImages,
  publish,
  readBack,
  remove,
  readMetrics,
});

const Profile = z.object({ name: z.string().trim().min(1) });

function connectAccount(input: NostrCredentialsInput, io: PlatformIo): Promise<ConnectedAccount<NostrCredential>> {
  const secretKey = readSecretKey(input.secretKey) ?? '';
  const credential = {
    secretKey,
    publicKey: publicKeyOf(secretKey),
    relays: readRelays(input.relays) ?? [],
    relaysSince: io.now().toISOString(),
  };
  const { publicKey, relays } = credential;
  return withoutPublishing(async () => {
    const filter = { kinds: [KIND.profile], authors: [publicKey], limit: 1 };
    const answers = await Promise.all(
      relays.map(async (relay) => ({ relay, events: await ask(io, relay, filter, credential) })),
    );
    const silent = answers.filter(({ events }) => events === null).map(({ relay }) => relay);
    if (silent.length > 0) {
      throw new PlatformFailure('rejected', `relays: ${silent.join(', ')} did not answer as a relay of Nostr.`);
    }
    const profiles = answers.flatMap(({ events }) => events ?? []).filter(({ pubkey }) => pubkey === publicKey);
    const newest = profiles.toSorted((one, other) => other.created_at - one.created_at)[0];
    const limits = await limitsOf(io, relays);
    return {
      platformAccountId: publicKey,
      handle: nameIn(newest?.content) ?? npubOf(publicKey).slice(0, SHORT_KEY),
      credential,
      ...(limits !== undefined && { limits }),
    };
  });
}

function nameIn(content: string | undefined): string | undefined {
  try {
    const profile = Profile.safeParse(JSON.parse(content ?? ''));
    return profile.success ? platformWords(profile.data.name) : undefined;
  } catch {
    return undefined;
  }
}

async function publish(session: Session<NostrCredential>, part: SendPart, io: PlatformIo): Promise<Published> {
  const { credential } = session;
  const event = eventOf(credential, part);
  const offers = await Promise.all(credential.relays.map((relay) => offer(io, relay, event, credential)));
  if (!offers.some(({ outcome }) => outcome === 'accepted')) throw refusalOf(offers);
  return published(event, io);
}

/** The same part gives the same event in every attempt. */
function eventOf({ secretKey, publicKey }: NostrCredential, part: SendPart): SignedEvent {
  const { text, startedAt, token, root, parent, prepared } = part;
  const { addresses, tags: imageTags } = shownImages(prepared);
  // A reply names the head of the thread, and what it answers (NIP-10).
  const threadTags = [
    ...(root === undefined ? [] : [['e', root.platformPostId, '', 'root', publicKey]]),
    ...(parent === undefined || parent.platformPostId === root?.platformPostId
      ? []
      : [['e', parent.platformPostId, '', 'reply', publicKey]]),
    ...(root === undefined ? [] : [['p', publicKey]]),
  ];
  const content = [text, ...(addresses.length > 0 ? [addresses.join('\n')] : [])].join('\n\n');
  // Two posts with one text in one second would otherwise be one event.
  const tags = [...threadTags, ...imageTags, ['nonce', token]];
  return signEvent({ kind: KIND.note, createdAt: startedAt, tags, content }, secretKey);
}

async function readBack(session: Session<NostrCredential>, part: SendPart, io: PlatformIo): Promise<Published | null> {
  const { credential } = session;
  const event = eventOf(credential, part);
  const answers = await Promise.all(credential.relays.map((relay) => ask(io, relay, { ids: [event.id] }, credential)));
  if (answers.some((events) => events?.some(({ id }) => id === event.id) === true)) return published(event, io);
  if (answers.includes(null)) throw new PlatformFailure('unavailable', 'Not all of the relays answered.');
  return null;
}

/** Asks every relay that has the event to delete it (NIP-09). */
function remove(session: Session<NostrCredential>, post: Published, io: PlatformIo): Promise<void> {
  const { credential } = session;
  return withoutPublishing(async () => {
    const tags = [
      ['e', post.platformPostId],
      ['k', String(KIND.note)],
    ];
    const event = signEvent({ kind: KIND.deletion, createdAt: io.now(), tags, content: '' }, credential.secretKey);
    const offers = await Promise.all(
      credential.relays.map(async (relay) => {
        const made = await offer(io, relay, event, credential);
        const isDone = made.outcome === 'refused' && (await lacks(io, relay, post.platformPostId, credential));
        return isDone ? { ...made, outcome: 'accepted' as const } : made;
      }),
    );
    const failure = deletionFailure(offers);
    if (failure !== null) throw failure;
  });
}

/** Whether a relay says that it does not have an event: one that refuses all of an account has nothing of it to delete. */
async function lacks(io: PlatformIo, relay: string, eventId: string, credential: NostrCredential): Promise<boolean> {
  const events = await ask(io, relay, { ids: [eventId] }, credential);
  return events !== null && events.every(({ id }) => id !== eventId);
}

function published({ id, pubkey }: SignedEvent, io: PlatformIo): Published {
  return { platformPostId: id, url: `${io.endpoints.NOSTR_WEB_URL}/${neventOf(id, pubkey)}` };
}
