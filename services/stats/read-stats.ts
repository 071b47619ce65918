/** Public statistics of an install; they identify no one (docs/contract/metrics.md#public-statistics). */
import { statement } from '../../entities/statement.ts';
import { TEST_PLATFORM } from '../../platforms/registry.ts';
import { cached } from '../cached.ts';
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

/** Seconds that an answer of GET /stats is cached (docs/contract/metrics.md#public-statistics). */
const CACHE_SECONDS = 60;

export interface WithStats {
  /** Statistics of the install, counted at most once a minute. */
  readonly stats: () => Promise<Stats>;
}

export function cacheStats(context: Context): WithStats {
  return { stats: cached(context.clock, CACHE_SECONDS, () => readStats(context)) };
}

const WEEK_MS = 7 * 86_400_000;

/** Posts that are published outside of the sandbox: the condition of posts_reached_index, word for word. */
const REACHED = `status = 'sent' and mode = 'live' and platform_id <> '${TEST_PLATFORM}'`;

const countPostsAndConnections = statement('count posts and connections', {
  parameters: { weekStart: 'timestamptz' },
  result: { all_time: 'int', this_week: 'int', connections: 'int', platforms: 'text[]' },
  sql: ({ weekStart }) => `
    select (select count(*) from posts where ${REACHED})::int as all_time,
      (select count(*) from posts where ${REACHED} and sent_at > ${weekStart})::int as this_week,
      coalesce(sum(c.connections), 0)::int as connections,
      coalesce(array_agg(c.platform_id order by c.platform_id) filter (where c.platform_id is not null), '{}') as platforms
    from (select platform_id, count(*) as connections from connections
      where deleted_at is null and platform_id <> '${TEST_PLATFORM}' group by 1) c`,
});

/**
 * Counts live posts that are published on a platform other than the sandbox; the week is the last seven days
 * (docs/contract/metrics.md#analytics).
 */
export async function readStats(context: Context): Promise<Stats> {
  const now = context.clock.now();
  const weekStart = new Date(now.getTime() - WEEK_MS);
  const [row] = await countPostsAndConnections(context.db.em(), { weekStart });
  if (row === undefined) throw new Error('the statistics returned no row');
  return {
    postsThisWeek: row.this_week,
    postsAllTime: row.all_time,
    liveConnections: row.connections,
    platformsLive: [...row.platforms],
    time: timestamp(now),
  };
}
