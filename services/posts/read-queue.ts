/** Reads the waiting posts in the queue of a connection (docs/contract/scheduling.md#queues). */
import { sql } from 'kysely';
import { Connection } from '../../entities/connection.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { reachableConnections } from '../connections/reachable-connections.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { pageOf } from '../paging.ts';
import { reach } from './reachable-posts.ts';
import { timeCursor, type TimePosition } from './time-cursor.ts';
import { timestamp } from '../timestamp.ts';

export interface QueueItem {
  id: string;
  text: string;
  scheduledFor: string;
  /** Number of images. */
  mediaCount: number;
}

/** One page of a queue. */
export interface QueuePage {
  /** 1 to 100; left out, all. */
  readonly limit?: number | undefined;
  /** The page starts with the posts after this place. */
  readonly cursor?: TimePosition | undefined;
}

/** @throws ServiceError not_found */
export async function readQueue(
  context: Context,
  caller: Caller,
  connectionId: string,
  { limit, cursor }: QueuePage,
): Promise<{ queue: QueueItem[]; paused: boolean; nextCursor: string | null }> {
  const em = context.db.em();
  const where = { ...Object(reachableConnections(caller)), id: connectionId };
  const connection = await em.findOne(Connection, where, { fields: ['queuePaused'] });
  if (connection === null) throw new ServiceError('not_found', `No connection of yours has the id ${connectionId}.`);
  // A connection that was moved may have posts of its earlier profile, which a key of another profile cannot see.
  const onConnection = { ...reach(caller), connection_id: connectionId };
  const rows = await tables(em)
    .selectFrom('posts as p')
    .select(['p.id', 'p.text', 'p.scheduled_for'])
    .select((post) =>
      post
        .selectFrom('post_media as m')
        .select(sql<number>`count(*)::int`.as('count'))
        .whereRef('m.post_id', '=', 'p.id')
        .as('media_count'),
    )
    .where((post) => post.and(onConnection))
    .where('p.queued', '=', true)
    .where('p.status', 'in', ['scheduled', 'processing'])
    .$if(cursor !== undefined, (posts) =>
      posts.where(({ eb, refTuple, tuple }) => {
        const { at, id } = cursor as TimePosition;
        return eb(refTuple('p.scheduled_for', 'p.id'), '>', tuple(at.toISOString(), id));
      }),
    )
    .orderBy('p.scheduled_for')
    .orderBy('p.id')
    .$if(limit !== undefined, (posts) => posts.limit((limit as number) + 1))
    .execute();
  const page = pageOf(rows, limit ?? Infinity);
  const queue = page.items.map((row) => ({
    id: row.id,
    text: row.text,
    scheduledFor: timestamp(row.scheduled_for as string),
    mediaCount: row.media_count ?? 0,
  }));
  const last = queue.at(-1);
  const nextCursor = page.nextCursor === null || last === undefined ? null : cursorAfter(last);
  return { queue, paused: connection.queuePaused, nextCursor };
}

function cursorAfter({ scheduledFor, id }: QueueItem): string {
  return timeCursor({ at: scheduledFor, id });
}
