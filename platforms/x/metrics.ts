/** Reads the metrics of X posts. X charges for each requested post once per UTC day. */
import { z } from 'zod';
import {
  type MetricNumbers,
  type MetricsReading,
  PlatformFailure,
  type PlatformIo,
  type ReadPost,
} from '../contract.ts';
import type { Session } from '../login.ts';
import { callLoggedIn, type XLogin } from './session.ts';
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
          retweet_count: count,
          reply_count: count,
        }),
      }),
    )
    .default([]),
  errors: z.array(z.object({ resource_id: z.string().optional(), type: z.string().optional() })).default([]),
});
type PublicMetrics = z.infer<typeof Answer>['data'][number]['public_metrics'];

export async function readMetrics(
  session: Session<XLogin>,
  posts: readonly ReadPost[],
  io: PlatformIo,
): Promise<MetricsReading> {
  const ids = posts.map(({ platformPostId }) => platformPostId);
  const path = `/2/tweets?ids=${ids.map(encodeURIComponent).join(',')}&tweet.fields=public_metrics`;
  const answer = await callLoggedIn(session, io, path);
  if (!isOk(answer)) throw failure(answer);
  const told = Answer.safeParse(answer.body);
  if (!told.success) throw new PlatformFailure('unavailable', 'X answered without the numbers of the posts.');
  const gone = told.data.errors.filter(({ type }) => type?.endsWith('/resource-not-found'));
  return new Map<string, MetricNumbers | 'gone'>([
    ...gone.flatMap(({ resource_id: id }) => (id === undefined ? [] : [[id, 'gone'] as const])),
    ...told.data.data.map((post) => [post.id, numbersOf(post.public_metrics)] as const),
  ]);
}

/** Quotes are not counted as reposts, because X reports them separately. */
function numbersOf(metrics: PublicMetrics): MetricNumbers {
  return {
    impressions: metrics.impression_count,
    likes: metrics.like_count,
    reposts: metrics.retweet_count,
    replies: metrics.reply_count,
  };
}
