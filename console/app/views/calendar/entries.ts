/** What the calendar shows: posts at their times, and free slots of queues. */
import type { Connection } from '../../data/connections.ts';
import type { Outputs } from '../../data/trpc.ts';
import { instantOf, type Wall, wallAt } from '../../ui/zoned.ts';
import { HORIZON_MS, slotInstants } from '../queues/slots.ts';

export type Post = Outputs['posts']['list']['posts'][number];

interface At {
  readonly key: string;
  readonly instant: number;
  readonly wall: Wall;
  /** Whether clocks show this time for the second time on this day. */
  readonly isSecond: boolean;
}

export type PostEntry = At & {
  readonly kind: 'post';
  readonly post: Post;
  readonly connection: Connection | null;
  readonly isQueued: boolean;
};
export type SlotEntry = At & { readonly kind: 'slot'; readonly connection: Connection };
export type Entry = PostEntry | SlotEntry;

export interface Sources {
  readonly posts: readonly Post[];
  readonly connections: readonly Connection[];
  /** Connections whose free slots are shown. */
  readonly withSlots: readonly Connection[];
  /** Ids of posts that wait in a queue. */
  readonly queued: ReadonlySet<string>;
  readonly zone: string;
  readonly now: number;
}

/** All entries in order of time. */
export function listEntries(sources: Sources): Entry[] {
  const posts = postEntries(sources);
  return [...posts, ...slotEntries(sources, posts)].toSorted((a, b) => a.instant - b.instant);
}

function postEntries({ posts, connections, queued, zone }: Sources): PostEntry[] {
  const unique = new Map(posts.map((post) => [post.id, post]));
  return [...unique.values()].filter(isShown).map((post) => ({
    kind: 'post',
    key: post.id,
    post,
    connection: connectionOf(post, connections),
    isQueued: queued.has(post.id),
    ...placeOf(Date.parse(post.scheduledFor ?? post.createdAt), zone),
  }));
}

const SHOWN: readonly Post['status'][] = ['scheduled', 'processing', 'sent', 'failed'];

function isShown({ status }: Post): boolean {
  return SHOWN.includes(status);
}

/** A slug is unique only within its profile. */
function connectionOf({ connectionSlug, profileId }: Post, connections: readonly Connection[]): Connection | null {
  const named = connections.filter(({ slug }) => slug === connectionSlug);
  return named.find((connection) => connection.profileId === profileId) ?? named[0] ?? null;
}

function slotEntries({ withSlots, zone, now }: Sources, posts: readonly PostEntry[]): SlotEntry[] {
  const taken = new Set(
    posts.filter(({ isQueued }) => isQueued).map(({ connection, instant }) => `${connection?.id} ${instant}`),
  );
  return withSlots.flatMap((connection) =>
    slotInstants(connection.queueSlots, connection.timezone, now, now + HORIZON_MS)
      .map((instant) => ({ key: `${connection.id} ${instant}`, instant }))
      .filter(({ key }) => !taken.has(key))
      .map(({ key, instant }): SlotEntry => ({ kind: 'slot', key, connection, ...placeOf(instant, zone) })),
  );
}

function placeOf(instant: number, zone: string) {
  const wall = wallAt(instant, zone);
  const minute = Math.floor(instant / 60_000) * 60_000;
  return { instant, wall, isSecond: instantOf(wall, zone) < minute };
}
