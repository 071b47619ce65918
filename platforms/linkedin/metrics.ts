/** The numbers of LinkedIn posts: statistics of a page's, likes and comments of a member's. */
import { z } from 'zod';
import {
  type MetricNumbers,
  type MetricsReading,
  PlatformFailure,
  type PlatformIo,
  type ReadPost,
} from '../contract.ts';
import type { Session } from '../login.ts';
import type { PlatformAnswer } from '../http.ts';
import { failure, isOk } from './api.ts';
import { callLoggedIn, type LinkedInLogin } from './session.ts';

/** Posts that are asked for at once; how many a list may hold is documented nowhere. */
export const SHARES_MAX = 20;

/** The gate leaves out a number that is no count, so that the others of the answer are still read. */
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
  session: Session<LinkedInLogin>,
  posts: readonly ReadPost[],
  io: PlatformIo,
): Promise<MetricsReading> {
  const urns = posts.map(({ platformPostId }) => platformPostId);
  return session.credential.organizationId === null ? readMembers(session, io, urns) : readPages(session, io, urns);
}

/** Shares, and posts with images, are asked for in lists of their own. */
async function readPages(session: Session<LinkedInLogin>, io: PlatformIo, urns: readonly string[]) {
  const reading = new Map<string, MetricNumbers>(urns.map((urn) => [urn, {}]));
  for (const [list, start] of [
    ['shares', 'urn:li:share:'],
    ['ugcPosts', 'urn:li:ugcPost:'],
  ] as const) {
    const asked = urns.filter((urn) => urn.startsWith(start));
    if (asked.length === 0) continue;
    const page = encodeURIComponent(session.platformAccountId);
    // Rest.li wants the colons encoded, and the parentheses and commas of its lists not.
    const path = `/rest/organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity=${page}&${list}=List(${asked.map(encodeURIComponent).join(',')})`;
    const answer = await callLoggedIn(session, io, path);
    if (isWithheld(answer)) continue;
    if (!isOk(answer)) throw failure(answer);
    const told = Statistics.safeParse(answer.body);
    if (!told.success) throw unreadable();
    for (const { share, ugcPost, totalShareStatistics: totals } of told.data.elements) {
      // LinkedIn counts reposts too, but its numbers here are those that the house promises of it.
      const numbers = {
        impressions: totals.impressionCount,
        likes: totals.likeCount,
        replies: totals.commentCount,
        clicks: totals.clickCount,
      };
      reading.set(share ?? ugcPost ?? '', reported(numbers));
    }
  }
  return reading;
}

async function readMembers(session: Session<LinkedInLogin>, io: PlatformIo, urns: readonly string[]) {
  const reading = new Map<string, MetricNumbers>();
  for (const urn of urns) {
    const answer = await callLoggedIn(session, io, `/rest/socialActions/${encodeURIComponent(urn)}`);
    if (isWithheld(answer)) {
      reading.set(urn, {});
      continue;
    }
    // A post that is gone cannot be told from one that nobody has reacted to.
    if (answer.status === 404) continue;
    if (!isOk(answer)) throw failure(answer);
    const told = Summary.safeParse(answer.body);
    if (!told.success) throw unreadable();
    const { likesSummary: likes, commentsSummary: comments } = told.data;
    const numbers = {
      likes: likes?.totalLikes ?? likes?.aggregatedTotalLikes,
      replies: comments?.totalFirstLevelComments ?? comments?.aggregatedTotalComments,
    };
    reading.set(urn, reported(numbers));
  }
  return reading;
}

/** Few apps may read the numbers of members, and not all those of pages: what may not be read is not reported. */
function isWithheld({ status }: PlatformAnswer): boolean {
  return status === 403;
}

function reported(numbers: { readonly [Name in keyof MetricNumbers]: number | undefined }): MetricNumbers {
  return Object.fromEntries(Object.entries(numbers).filter(([, number]) => number !== undefined));
}

function unreadable(): PlatformFailure {
  return new PlatformFailure('unavailable', 'LinkedIn answered without the numbers of the posts.');
}
