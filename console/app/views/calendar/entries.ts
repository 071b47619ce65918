/** What the calendar shows: posts at their times, and free slots of queues. */
import type { Connection } from '../../data/connections.ts';
import type { CalendarPost } from '../../data/live/calendar-cache.ts';
import { timeAt, type Wall, wallAt } from '../../ui/zoned.ts';
import { HORIZON_MS, slotInstants } from '../queues/slots.ts';

export type Post = CalendarPost;

interface At {
  readonly key: string;
  readonly instant: number;
  readonly wall: Wall;
  /** The time on the clocks, in words that tell two equal ones apart. */
  readonly time: string;
}

export type PostEntry = At & { readonly kind: 'post'; readonly post: Post };
export type SlotEntry = At & { readonly kind: 'slot'; readonly connection: Connection };
export type Entry = PostEntry | SlotEntry;

/** All entries in order of time. */
export function inOrder(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((a, b) => a.instant - b.instant);
}

/** Makes the entries of posts in a zone. A post that did not change keeps its entry: there may be thousands. */
export function postEntriesIn(zone: string): (posts: readonly Post[]) => PostEntry[] {
  const made = new WeakMap<Post, PostEntry>();
  const entryOf = (post: Post): PostEntry => {
    const entry = made.get(post) ?? {
      kind: 'post',
      key: post.id,
      post,
      ...placeOf(Date.parse(post.at), zone),
    };
    made.set(post, entry);
    return entry;
  };
  // A post that moved while the pages were read is on two of them.
  return (posts) => [...new Map(posts.map((post) => [post.id, post])).values()].map(entryOf);
}

/**
 * The coming slots that no post holds.
 *
 * @param posts all posts of the connections
 */
export function slotEntries(
  connections: readonly Connection[],
  posts: readonly PostEntry[],
  zone: string,
  now: number,
): SlotEntry[] {
  const waiting = posts.filter(({ post }) => post.queued && post.status === 'scheduled');
  const taken = new Set(waiting.map(({ post, instant }) => `${post.connectionId} ${instant}`));
  return connections.flatMap((connection) =>
    slotInstants(connection.queueSlots, connection.timezone, now, now + HORIZON_MS)
      .map((instant) => ({ key: `${connection.id} ${instant}`, instant }))
      .filter(({ key }) => !taken.has(key))
      .map(({ key, instant }): SlotEntry => ({ kind: 'slot', key, connection, ...placeOf(instant, zone) })),
  );
}

function placeOf(instant: number, zone: string) {
  return { instant, wall: wallAt(instant, zone), time: timeAt(instant, zone) };
}
