/** Lists the metrics of one of the caller's posts, as they were read over time. */
import { tables } from '../../entities/tables.ts';
import type { PostMetrics } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { findPost } from './find-post.ts';
import { type MetricsView, metricsView } from '../metrics/metrics-view.ts';

const METRICS = ['impressions', 'likes', 'reposts', 'replies', 'clicks'] as const;

/** @throws ServiceError not_found for an unknown or foreign post. */
export async function readPostMetrics(
  context: Context,
  caller: Caller,
  postId: string,
): Promise<{ latest: MetricsView | null; history: MetricsView[] }> {
  const { id } = await findPost(context, caller, postId);
  const rows = await tables(context.db.queries)
    .selectFrom('metrics_reads')
    .select('fetched_at')
    // 64-bit integers would be returned as text; floats are exact up to 2^53.
    .select(({ cast }) => METRICS.map((name) => cast<number | null>(name, 'float8').as(name)))
    .where('post_id', '=', id)
    .orderBy('number')
    .execute();
  const history = rows.map(({ fetched_at: fetchedAt, ...metrics }) => metricsView(fetchedAt, metrics as PostMetrics));
  return { latest: history.at(-1) ?? null, history };
}
