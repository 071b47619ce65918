/** What waits in the queue of a connection (spec: GET /connections/{connectionId}/queue). */
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { getConnection } from '../connections/get-connection.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { timestamp } from '../timestamp.ts';

export interface QueueItem {
  id: string;
  text: string;
  scheduledFor: string;
  /** Number of images. */
  mediaCount: number;
}

const READ = `
  select p.id, p.text, p.scheduled_for,
    (select count(*)::int from post_media m where m.post_id = p.id) as media_count
  from posts p where p.connection_id = $1 and p.queued and p.status in ('scheduled', 'processing')
  order by p.scheduled_for, p.id`;

/** @throws ServiceError not_found */
export async function readQueue(
  context: Context,
  caller: Caller,
  connectionId: string,
): Promise<{ queue: QueueItem[]; paused: boolean }> {
  await getConnection(context, caller, connectionId);
  const em = context.db.em();
  const [connection] = await query<{ queue_paused: boolean }>(
    em,
    'select queue_paused from connections where id = $1',
    [connectionId],
  );
  if (connection === undefined) throw new ServiceError('not_found');
  const rows = await query<{ id: string; text: string; scheduled_for: string; media_count: number }>(em, READ, [
    connectionId,
  ]);
  const queue = rows.map((row) => ({
    id: row.id,
    text: row.text,
    scheduledFor: timestamp(row.scheduled_for),
    mediaCount: row.media_count,
  }));
  return { queue, paused: connection.queue_paused };
}
