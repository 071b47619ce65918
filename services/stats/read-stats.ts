/** Public statistics of an install; they identify no one (docs/contract/metrics.md#public-statistics). */
import { query } from '../../entities/query.ts';
import { TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import { timestamp } from '../timestamp.ts';

export interface Stats {
  postsThisWeek: number;
  postsAllTime: number;
  liveConnections: number;
  /** Ids of the platforms with at least one connection. */
  platformsLive: string[];
  time: string;
}

const WEEK_MS = 7 * 86_400_000;

// Must match the condition of posts_reached_index word for word: the count covers exactly the rows of that index.
const REACHED = `status = 'sent' and mode = 'live' and platform_id <> '${TEST_PLATFORM}'`;

const READ = `
  select (select count(*) from posts where ${REACHED})::int as all_time,
    (select count(*) from posts where ${REACHED} and sent_at > $1)::int as this_week,
    coalesce(sum(c.connections), 0)::int as connections,
    coalesce(array_agg(c.platform_id order by c.platform_id) filter (where c.platform_id is not null), '{}') as platforms
  from (select platform_id, count(*) as connections from connections
    where deleted_at is null and platform_id <> '${TEST_PLATFORM}' group by 1) c`;

interface Row {
  all_time: number;
  this_week: number;
  connections: number;
  platforms: string[];
}

/**
 * Counts live posts that are published on a platform other than the sandbox; the week is the last seven days
 * (docs/contract/metrics.md#analytics).
 */
export async function readStats(context: Context): Promise<Stats> {
  const now = context.clock.now();
  const [row] = await query<Row>(context.db.em(), READ, [new Date(now.getTime() - WEEK_MS)]);
  if (row === undefined) throw new Error('the statistics gave no row');
  return {
    postsThisWeek: row.this_week,
    postsAllTime: row.all_time,
    liveConnections: row.connections,
    platformsLive: row.platforms,
    time: timestamp(now),
  };
}
