/** Reads the waiting posts in the queue of a connection (docs/contract/scheduling.md#queues). */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import { Connection } from '../../entities/connection.ts';
import { type Tables, tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { reachableConnections } from '../connections/reachable-connections.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { pageOf } from '../paging.ts';
import { reach } from './reachable-posts.ts';
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
  /** Id of a post in the queue: the page starts with the posts after it. */
  readonly cursor?: string | undefined;
}

/** @throws ServiceError not_found, invalid_request (the cursor is not a post of this queue) */
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
  const after = cursor === undefined ? null : await timeOf(em, onConnection, cursor);
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
    .$if(after !== null, (posts) =>
      posts.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('p.scheduled_for', 'p.id'), '>', tuple(after as string, cursor as string)),
      ),
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
  return { queue, paused: connection.queuePaused, nextCursor: page.nextCursor };
}

/** The time of the cursor post, which may have left the queue since. */
async function timeOf(em: SqlEntityManager, onConnection: Partial<Tables['posts']>, cursor: string): Promise<string> {
  const post = await tables(em)
    .selectFrom('posts')
    .select('scheduled_for')
    .where((post) => post.and({ ...onConnection, id: cursor }))
    .executeTakeFirst();
  if (post === undefined || post.scheduled_for === null) {
    throw new ServiceError(
      'invalid_request',
      `cursor: ${cursor} is not a post of this queue. Start again without a cursor.`,
    );
  }
  return post.scheduled_for;
}
