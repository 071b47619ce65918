/** What waits in the queue of a connection (spec: GET /connections/{connectionId}/queue). */
import { Connection } from '../../entities/connection.ts';
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { reachableConnections } from '../connections/reachable-connections.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { reachablePosts } from '../posts/reachable-posts.ts';
import { timestamp } from '../timestamp.ts';

export interface QueueItem {
  id: string;
  text: string;
  scheduledFor: string;
  /** Number of images. */
  mediaCount: number;
}

const items = (condition: string) => `
  select p.id, p.text, p.scheduled_for,
    (select count(*)::int from post_media m where m.post_id = p.id) as media_count
  from posts p where ${condition} and p.queued and p.status in ('scheduled', 'processing')
  order by p.scheduled_for, p.id`;

interface ItemRow {
  id: string;
  text: string;
  scheduled_for: string;
  media_count: number;
}

/** @throws ServiceError not_found */
export async function readQueue(
  context: Context,
  caller: Caller,
  connectionId: string,
): Promise<{ queue: QueueItem[]; paused: boolean }> {
  const em = context.db.em();
  const where = { ...Object(reachableConnections(caller)), id: connectionId };
  const connection = await em.findOne(Connection, where, { fields: ['queuePaused'] });
  if (connection === null) throw new ServiceError('not_found', `No connection of yours has the id ${connectionId}.`);
  // A connection that was moved may hold posts of the profile it left, which a key of another profile does not see.
  const { condition, parameters } = reachablePosts(caller);
  const onConnection = `${condition} and connection_id = $${parameters.push(connectionId)}`;
  const rows = await query<ItemRow>(em, items(onConnection), parameters);
  const queue = rows.map((row) => ({
    id: row.id,
    text: row.text,
    scheduledFor: timestamp(row.scheduled_for),
    mediaCount: row.media_count,
  }));
  return { queue, paused: connection.queuePaused };
}
