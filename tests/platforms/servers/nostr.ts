/** A relay of Nostr, and the secret key of an account. */
import { publicKeyOf } from '../../../platforms/nostr/event.ts';
import { startFakeNostr } from '../fakes/fake-nostr.ts';
import type { PlatformServer, PlatformServerOptions } from './platform-server.ts';

const SECRET_KEY = 'a'.repeat(63) + '1';
const LENGTH_MAX = 2_000;
/** Characters that the adapter keeps free for addresses of images. */
const ADDRESSES = 600;

export async function startNostrServer(options: PlatformServerOptions): Promise<PlatformServer> {
  const fake = await startFakeNostr({ ...options, limitation: { max_content_length: LENGTH_MAX + ADDRESSES } });
  const author = publicKeyOf(SECRET_KEY);
  const notes = () => fake.events.filter(({ kind, pubkey }) => kind === 1 && pubkey === author);
  return {
    platformId: 'nostr',
    maxLength: LENGTH_MAX,
    maxFamilies: Math.floor(LENGTH_MAX / 7),
    credentials: { secretKey: SECRET_KEY, relays: fake.relay },
    env: { NOSTR_MEDIA_URL: fake.url },
    textMeeting: (fault, text) => {
      fake.faults.push(fault);
      return text;
    },
    existing: async () => notes().map(({ content }) => content.split('\n\nhttp')[0] ?? ''),
    giveNumbers: () => {
      const pubkey = 'b'.repeat(64);
      for (const [index, note] of notes().entries()) {
        for (const kind of [1, 6, 7]) {
          const id = `${kind}${index}`.padStart(64, '0');
          const tags = [['e', note.id]];
          fake.events.push({ id, pubkey, created_at: note.created_at, kind, tags, content: '+', sig: '' });
        }
      }
    },
    revoke: null,
    lastImages: async () => {
      const described =
        notes()
          .at(-1)
          ?.tags.filter(([tag]) => tag === 'imeta') ?? [];
      return described.map((parts) => ({ altText: parts.find((part) => part.startsWith('alt '))?.slice(4) ?? null }));
    },
    close: () => fake.close(),
  };
}
