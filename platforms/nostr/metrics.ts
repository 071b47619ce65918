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
import { ask, type FoundEvent } from './relay.ts';

/** Most posts in one question. */
export const POSTS_MAX = 20;

const METRIC_OF: ReadonlyMap<number, MetricName> = new Map([
  [KIND.reaction, 'likes'],
  [KIND.repost, 'reposts'],
  [KIND.note, 'replies'],
]);

export async function readMetrics(
  { credential }: Session<NostrCredential>,
  posts: readonly ReadPost[],
  io: PlatformIo,
): Promise<MetricsReading> {
  const ids = posts.map(({ platformPostId }) => platformPostId);
  const filter = { kinds: [...METRIC_OF.keys()], '#e': ids };
  const answers = await Promise.all(credential.relays.map((relay) => ask(io, relay, filter, credential)));
  const answered = answers.filter((answer) => answer !== null);
  if (answered.length === 0) throw new PlatformFailure('unavailable', 'None of the relays answered.');
  // Several relays have the same events.
  const events = new Map(answered.flat().map((event) => [event.id, event]));
  return new Map(ids.map((id) => [id, countsOf(id, [...events.values()])]));
}

function countsOf(postId: string, events: readonly FoundEvent[]): PostMetrics {
  const counts: Record<'likes' | 'reposts' | 'replies', number> = { likes: 0, reposts: 0, replies: 0 };
  for (const event of events) {
    const metric = METRIC_OF.get(event.kind);
    const names = event.tags.filter(([tag]) => tag === 'e').map(([, id]) => id);
    if (metric !== undefined && names.includes(postId)) counts[metric as keyof typeof counts] += 1;
  }
  return counts;
}
