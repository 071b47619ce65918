/** Counts what people did with posts, over all relays of the connection. */
import {
  type MetricName,
  type MetricsReading,
  PlatformFailure,
  type PlatformIo,
  type PostMetrics,
  type ReadPost,
} from '../contract.ts';
import type { Session } from '../credential.ts';
import type { NostrCredential } from './credential.ts';
import { KIND } from './event.ts';
import { askAll, type FoundEvent } from './relay.ts';

/** Most posts in one question. */
export const POSTS_MAX = 20;

type Counted = Extract<MetricName, 'likes' | 'reposts' | 'replies'>;
type Counts = Readonly<Record<Counted, number>>;

interface Reference {
  readonly metric: Counted;
  /** The post that the event is about, of those that it names. */
  readonly postOf: (event: FoundEvent) => string | undefined;
}

const REFERENCES: ReadonlyMap<number, Reference> = new Map<number, Reference>([
  [KIND.reaction, { metric: 'likes', postOf: likedPost }],
  [KIND.repost, { metric: 'reposts', postOf: (event) => namesOf(event).at(-1)?.id }],
  [KIND.note, { metric: 'replies', postOf: answeredPost }],
]);

export async function readMetrics(
  { credential }: Session<NostrCredential>,
  posts: readonly ReadPost[],
  io: PlatformIo,
): Promise<MetricsReading> {
  const ids = posts.map(({ platformPostId }) => platformPostId);
  const filter = { kinds: [...REFERENCES.keys()], '#e': ids };
  const answers = await Promise.all(credential.relays.map((relay) => askAll(io, relay, filter, credential)));
  const answered = answers.filter((answer) => answer !== null);
  if (answered.length === 0) throw new PlatformFailure('unavailable', 'None of the relays answered.');
  // Several relays have the same events.
  const events = new Map(answered.flatMap((answer) => answer.events).map((event) => [event.id, event]));
  const isComplete = answers.every((answer) => answer?.isComplete === true);
  const counted = posts.map(({ platformPostId: id, sentAt, previous = {} }) => {
    const counts = countsOf(id, [...events.values()]);
    return [id, isComplete && !isBeforeRelays(sentAt, credential) ? counts : atLeast(counts, previous)] as const;
  });
  return new Map(counted);
}

/** Whether a post may have gone to other relays than those of now. */
function isBeforeRelays(sentAt: Date, { relaysSince }: NostrCredential): boolean {
  return relaysSince !== undefined && sentAt < new Date(relaysSince);
}

/**
 * What was counted before and is missing now may be on a relay that did not answer, or that the connection has no longer, or
 * beyond what is read of one.
 */
function atLeast(counts: Counts, previous: PostMetrics): Counts {
  const most = (metric: Counted) => Math.max(counts[metric], previous[metric] ?? 0);
  return { likes: most('likes'), reposts: most('reposts'), replies: most('replies') };
}

function countsOf(postId: string, events: readonly FoundEvent[]): Counts {
  const counts: Record<Counted, number> = { likes: 0, reposts: 0, replies: 0 };
  for (const event of events) {
    const reference = REFERENCES.get(event.kind);
    if (reference?.postOf(event) === postId) counts[reference.metric] += 1;
  }
  return counts;
}

/** A reaction names the thread of a post too, and the post last; `-` is a dislike (NIP-25). */
function likedPost(event: FoundEvent): string | undefined {
  return event.content === '-' ? undefined : namesOf(event).at(-1)?.id;
}

/**
 * The post that a note answers directly (NIP-10). Without marks the last post that it names is that one. Mentions are no
 * answers.
 */
function answeredPost(event: FoundEvent): string | undefined {
  const names = namesOf(event);
  if (names.every(({ mark }) => mark === undefined)) return names.at(-1)?.id;
  return (names.find(({ mark }) => mark === 'reply') ?? names.find(({ mark }) => mark === 'root'))?.id;
}

/** The posts that an event names, each with the mark that says why. */
function namesOf({ tags }: FoundEvent): { readonly id: string | undefined; readonly mark: string | undefined }[] {
  return tags.filter(([tag]) => tag === 'e').map(([, id, , mark]) => ({ id, mark: mark === '' ? undefined : mark }));
}
