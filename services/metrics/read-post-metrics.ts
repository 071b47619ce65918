/** Lists the metrics of one of the caller's posts, as they were read over time. */
import { query } from '../../entities/query.ts';
import type { MetricNumbers } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { findPost } from '../posts/find-post.ts';
import { type MetricsView, metricsView } from './metrics-view.ts';

const NUMBERS = ['impressions', 'likes', 'reposts', 'replies', 'clicks'] as const;

// 64-bit integers would be returned as text; floats are exact up to 2^53.
const HISTORY = `
  select fetched_at, ${NUMBERS.map((name) => `${name}::float8 as ${name}`).join(', ')}
  from metrics_reads where post_id = $1 order by number`;

type Row = { fetched_at: string } & Record<(typeof NUMBERS)[number], number | null>;

/** @throws ServiceError not_found for an unknown or foreign post. */
export async function readPostMetrics(
  context: Context,
  caller: Caller,
  postId: string,
): Promise<{ latest: MetricsView | null; history: MetricsView[] }> {
  const { id } = await findPost(context, caller, postId);
  const rows = await query<Row>(context.db.em(), HISTORY, [id]);
  const history = rows.map(({ fetched_at: fetchedAt, ...numbers }) => metricsView(fetchedAt, numbers as MetricNumbers));
  return { latest: history.at(-1) ?? null, history };
}
