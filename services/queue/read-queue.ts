/** Reads the waiting posts in the queue of a connection (docs/contract/scheduling.md#queues). */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Connection } from '../../entities/connection.ts';
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { reachableConnections } from '../connections/reachable-connections.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { pageOf } from '../paging.ts';
import { reachablePosts } from '../posts/reachable-posts.ts';
import { timestamp } from '../timestamp.ts';

export interface QueueItem {
  id: string;
  text: string;
  scheduledFor: string;
  /** Number of images. */
  mediaCount: number;
}

const items = (condition: string, last: string) => `
  select p.id, p.text, p.scheduled_for,
    (select count(*)::int from post_media m where m.post_id = p.id) as media_count
  from posts p where ${condition} and p.queued and p.status in ('scheduled', 'processing')
  order by p.scheduled_for, p.id ${last}`;

interface ItemRow {
  id: string;
  text: string;
  scheduled_for: string;
  media_count: number;
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
  const { condition, parameters } = reachablePosts(caller);
  const onConnection = `${condition} and connection_id = $${parameters.push(connectionId)}`;
  const behind = cursor === undefined ? '' : await placeBehind(em, onConnection, parameters, cursor);
  const last = limit === undefined ? '' : `limit $${parameters.push(limit + 1)}`;
  const rows = await query<ItemRow>(em, items(onConnection + behind, last), parameters);
  const page = pageOf(rows, limit ?? Infinity);
  const queue = page.items.map((row) => ({
    id: row.id,
    text: row.text,
    scheduledFor: timestamp(row.scheduled_for),
    mediaCount: row.media_count,
  }));
  return { queue, paused: connection.queuePaused, nextCursor: page.nextCursor };
}

/** Condition for the posts after the cursor post, which may have left the queue since; adds its parameters. */
async function placeBehind(
  em: SqlEntityManager,
  onConnection: string,
  parameters: unknown[],
  cursor: string,
): Promise<string> {
  const sql = `select p.scheduled_for from posts p where ${onConnection} and p.id = $${parameters.length + 1}`;
  const [post] = await query<{ scheduled_for: string | null }>(em, sql, [...parameters, cursor]);
  if (post === undefined || post.scheduled_for === null) {
    throw new ServiceError('invalid_request', `cursor: ${cursor} is no post of this queue; begin again without one.`);
  }
  const [time, id] = [parameters.push(post.scheduled_for), parameters.push(cursor)];
  return ` and (p.scheduled_for, p.id) > ($${time}::timestamptz, $${id}::uuid)`;
}
