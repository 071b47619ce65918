/** Reads the metrics of LinkedIn posts: statistics for pages, likes and comments for members. */
import { z } from 'zod';
import { type PostMetrics, type MetricsReading, PlatformFailure, type PlatformIo, type ReadPost } from '../contract.ts';
import type { Session } from '../credential.ts';
import { isProxyPage, type PlatformAnswer } from '../http.ts';
import { failure, isOk } from './api.ts';
import { callLoggedIn, type LinkedInCredential } from './credential.ts';

/** Number of posts to request at once; LinkedIn does not document the maximum. */
export const SHARES_MAX = 20;

/** The gate drops each invalid count, so that the other metrics of the response are still read. */
const count = z.number().optional();

const Statistics = z.object({
  elements: z.array(
    z.object({
      share: z.string().optional(),
      ugcPost: z.string().optional(),
      totalShareStatistics: z.object({
        impressionCount: count,
        likeCount: count,
        commentCount: count,
        clickCount: count,
      }),
    }),
  ),
});

const Summary = z.object({
  likesSummary: z.object({ totalLikes: count, aggregatedTotalLikes: count }).optional(),
  commentsSummary: z.object({ totalFirstLevelComments: count, aggregatedTotalComments: count }).optional(),
});

export function readMetrics(
  session: Session<LinkedInCredential>,
  posts: readonly ReadPost[],
  io: PlatformIo,
): Promise<MetricsReading> {
  const urns = posts.map(({ platformPostId }) => platformPostId);
  return session.credential.organizationId === null ? readMembers(session, io, urns) : readPages(session, io, urns);
}

/** Shares and posts with images are requested in separate lists. */
async function readPages(session: Session<LinkedInCredential>, io: PlatformIo, urns: readonly string[]) {
  const reading = new Map<string, PostMetrics>(urns.map((urn) => [urn, {}]));
  for (const [list, start] of [
    ['shares', 'urn:li:share:'],
    ['ugcPosts', 'urn:li:ugcPost:'],
  ] as const) {
    const asked = urns.filter((urn) => urn.startsWith(start));
    if (asked.length === 0) continue;
    const page = encodeURIComponent(session.platformAccountId);
    // Rest.li requires encoded colons, but literal parentheses and commas in its lists.
    const path = `/rest/organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity=${page}&${list}=List(${asked.map(encodeURIComponent).join(',')})`;
    const answer = await callLoggedIn(session, io, path);
    if (isWithheld(answer)) continue;
    if (!isOk(answer)) throw failure(answer);
    const parsed = Statistics.safeParse(answer.body);
    if (!parsed.success) throw unreadable();
    for (const { share, ugcPost, totalShareStatistics: totals } of parsed.data.elements) {
      // LinkedIn counts reposts too, but only the metrics that the contract names are reported.
      const metrics = {
        impressions: totals.impressionCount,
        likes: totals.likeCount,
        replies: totals.commentCount,
        clicks: totals.clickCount,
      };
      reading.set(share ?? ugcPost ?? '', reported(metrics));
    }
  }
  return reading;
}

async function readMembers(session: Session<LinkedInCredential>, io: PlatformIo, urns: readonly string[]) {
  const reading = new Map<string, PostMetrics>();
  for (const urn of urns) {
    const answer = await callLoggedIn(session, io, `/rest/socialActions/${encodeURIComponent(urn)}`);
    if (isWithheld(answer)) {
      reading.set(urn, {});
      continue;
    }
    // A deleted post cannot be told from a post without reactions.
    if (answer.status === 404 && !isProxyPage(answer)) continue;
    if (!isOk(answer)) throw failure(answer);
    const parsed = Summary.safeParse(answer.body);
    if (!parsed.success) throw unreadable();
    const { likesSummary: likes, commentsSummary: comments } = parsed.data;
    const metrics = {
      likes: likes?.totalLikes ?? likes?.aggregatedTotalLikes,
      replies: comments?.totalFirstLevelComments ?? comments?.aggregatedTotalComments,
    };
    reading.set(urn, reported(metrics));
  }
  return reading;
}

/**
 * Few apps may read the metrics of members, and not all may read those of pages. Forbidden metrics are not
 * reported.
 */
function isWithheld(answer: PlatformAnswer): boolean {
  return answer.status === 403 && !isProxyPage(answer);
}

function reported(metrics: { readonly [Name in keyof PostMetrics]: number | undefined }): PostMetrics {
  return Object.fromEntries(Object.entries(metrics).filter(([, number]) => number !== undefined));
}

function unreadable(): PlatformFailure {
  return new PlatformFailure('unavailable', 'LinkedIn answered without the metrics of the posts.');
}
