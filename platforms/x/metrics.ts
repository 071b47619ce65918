/** Reads the metrics of X posts. X charges for each requested post once per UTC day. */
import { z } from 'zod';
import { type PostMetrics, type MetricsReading, PlatformFailure, type PlatformIo, type ReadPost } from '../contract.ts';
import type { Session } from '../credential.ts';
import { callLoggedIn, type XCredential } from './credential.ts';
import { failure, isOk } from './api.ts';

/** Maximum number of posts in one call. */
export const IDS_MAX = 100;

/** The gate drops each invalid count, so that the other metrics of the response are still read. */
const count = z.number();

const Answer = z.object({
  data: z
    .array(
      z.object({
        id: z.string(),
        public_metrics: z.object({
          impression_count: count,
          like_count: count,
          retweet_count: count.optional(),
          repost_count: count.optional(),
          reply_count: count,
        }),
      }),
    )
    .default([]),
  errors: z.array(z.object({ resource_id: z.string().optional(), type: z.string().optional() })).default([]),
});
type PublicMetrics = z.infer<typeof Answer>['data'][number]['public_metrics'];

export async function readMetrics(
  session: Session<XCredential>,
  posts: readonly ReadPost[],
  io: PlatformIo,
): Promise<MetricsReading> {
  const ids = posts.map(({ platformPostId }) => platformPostId);
  const path = `/2/tweets?ids=${ids.map(encodeURIComponent).join(',')}&tweet.fields=public_metrics`;
  const answer = await callLoggedIn(session, io, path);
  if (!isOk(answer)) throw failure(answer);
  const parsed = Answer.safeParse(answer.body);
  if (!parsed.success) throw new PlatformFailure('unavailable', 'X answered without the metrics of the posts.');
  const gone = parsed.data.errors.filter(({ type }) => type?.endsWith('/resource-not-found'));
  return new Map<string, PostMetrics | 'gone'>([
    ...gone.flatMap(({ resource_id: id }) => (id === undefined ? [] : [[id, 'gone'] as const])),
    ...parsed.data.data.map((post) => [post.id, metricsOf(post.public_metrics)] as const),
  ]);
}

/** Quotes are not counted as reposts, because X reports them separately. */
function metricsOf(metrics: PublicMetrics): PostMetrics {
  // X's description of its API has the second name, its guides have the first.
  const reposts = metrics.retweet_count ?? metrics.repost_count;
  return {
    impressions: metrics.impression_count,
    likes: metrics.like_count,
    ...(reposts !== undefined && { reposts }),
    replies: metrics.reply_count,
  };
}
