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

/**
 * Seconds that the number of posts older than a week is cached. A million of them take 0.2 s to count, and the number changes
 * only when one is taken down.
 */
const OLDER_CACHE_SECONDS = 3_600;

export interface WithStats {
  /** Statistics of the install, counted at most once a minute. */
  readonly stats: () => Promise<Stats>;
}

export function cacheStats(context: Context): WithStats {
  const older = cached(context.clock, OLDER_CACHE_SECONDS, () => countOlder(context));
  return { stats: cached(context.clock, CACHE_SECONDS, async () => readStats(context, await older())) };
}

const WEEK_MS = 7 * 86_400_000;

/** Posts that are published outside of the sandbox: the condition of posts_reached_index, word for word. */
const REACHED = `status = 'sent' and mode = 'live' and platform_id <> '${TEST_PLATFORM}'`;

const countOlderPosts = statement('count older posts', {
  parameters: { until: 'timestamptz' },
  result: { posts: 'int' },
  sql: ({ until }) => `select count(*)::int as posts from posts where ${REACHED} and sent_at <= ${until}`,
});

const countPostsAndConnections = statement('count posts and connections', {
  parameters: { olderUntil: 'timestamptz', weekStart: 'timestamptz' },
  result: { newer: 'int', this_week: 'int', connections: 'int', platforms: 'text[]' },
  sql: ({ olderUntil, weekStart }) => `
    select (select count(*) from posts where ${REACHED} and sent_at > ${olderUntil})::int as newer,
      (select count(*) from posts where ${REACHED} and sent_at > ${weekStart})::int as this_week,
      coalesce(sum(c.connections), 0)::int as connections,
      coalesce(array_agg(c.platform_id order by c.platform_id) filter (where c.platform_id is not null), '{}') as platforms
    from (select platform_id, count(*) as connections from connections
      where deleted_at is null and platform_id <> '${TEST_PLATFORM}' group by 1) c`,
});

/** Posts that were sent until a week before they were counted. */
interface OlderPosts {
  readonly until: Date;
  readonly posts: number;
}

async function countOlder(context: Context): Promise<OlderPosts> {
  const until = weekBefore(context.clock.now());
  const [row] = await countOlderPosts(context.db.em(), { until });
  if (row === undefined) throw new Error('the count of older posts returned no row');
  return { until, posts: row.posts };
}

/**
 * Counts live posts that are published on a platform other than the sandbox; the week is the last seven days
 * (docs/contract/metrics.md#public-statistics).
 */
async function readStats(context: Context, older: OlderPosts): Promise<Stats> {
  const now = context.clock.now();
  const [row] = await countPostsAndConnections(context.db.em(), {
    olderUntil: older.until,
    weekStart: weekBefore(now),
  });
  if (row === undefined) throw new Error('the statistics returned no row');
  return {
    postsThisWeek: row.this_week,
    postsAllTime: older.posts + row.newer,
    liveConnections: row.connections,
    platformsLive: [...row.platforms],
    time: timestamp(now),
  };
}

function weekBefore(now: Date): Date {
  return new Date(now.getTime() - WEEK_MS);
}
