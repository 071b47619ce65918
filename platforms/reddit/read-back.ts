/** Finds a post whose id Reddit did not return: after a lost response, and for every post with an image. */
import { z } from 'zod';
import { Inconclusive, PlatformFailure, type PlatformIo, type SendPart, type Session } from '../contract.ts';
import type { PlatformAnswer } from '../http.ts';
import { comparableText, earliestOf } from '../match-post.ts';
import { failureOf } from './api.ts';
import { fromMarkdown } from './markdown.ts';
import { callLoggedIn, type RedditCredential } from './credential.ts';
import { submissionOf } from './submission.ts';

/** Maximum number of posts to request. */
const LISTED_MAX = 50;

const Submitted = z.object({
  data: z.object({
    children: z.array(
      z.object({
        data: z.object({
          name: z.string(),
          permalink: z.string(),
          subreddit: z.string(),
          title: z.string(),
          selftext: z.string().default(''),
          is_self: z.boolean(),
          created_utc: z.number(),
        }),
      }),
    ),
  }),
});
type Listed = z.infer<typeof Submitted>['data']['children'][number]['data'];

/** A post that was found. */
export interface Made {
  /** Such as `t3_16xb06z`. */
  readonly name: string;
  readonly permalink: string;
}

/** Names of the newest posts of the account. @throws PlatformFailure when Reddit does not list them */
export async function listedNames(session: Session<RedditCredential>, io: PlatformIo): Promise<ReadonlySet<string>> {
  const { listed } = await list(session, io);
  return new Set(listed.map(({ name }) => name));
}

/**
 * Finds the post of a part, or returns null when the account has no match.
 *
 * @param others names of posts that are not the part
 * @throws PlatformFailure when Reddit cannot be reached, or its response is inconclusive
 */
export async function findPost(
  session: Session<RedditCredential>,
  io: PlatformIo,
  part: SendPart,
  others: ReadonlySet<string>,
): Promise<Made | null> {
  const { answer, listed } = await list(session, io);
  const earliest = earliestOf(part, answer, io.now());
  const recent = listed.filter((one) => one.created_utc * 1_000 >= earliest);
  // Oldest first: a later one with the same text is someone's second attempt.
  const found = recent.toReversed().find((one) => !others.has(one.name) && isIt(one, session.credential.target, part));
  if (found === undefined && recent.length >= LISTED_MAX) {
    throw new Inconclusive('The account has more new posts than Carillon asks Reddit for.');
  }
  return found ?? null;
}

async function list(
  session: Session<RedditCredential>,
  io: PlatformIo,
): Promise<{ readonly answer: PlatformAnswer; readonly listed: readonly Listed[] }> {
  const path = `/user/${encodeURIComponent(session.credential.username)}/submitted`;
  const answer = await callLoggedIn(session, io, path, { query: { sort: 'new', limit: String(LISTED_MAX) } });
  const refused = failureOf(answer);
  if (refused !== null) throw refused;
  const submitted = Submitted.safeParse(answer.body);
  if (!submitted.success) throw new PlatformFailure('unknown', 'Reddit did not list what the account has posted.');
  return { answer, listed: submitted.data.data.children.map(({ data }) => data) };
}

function isIt(listed: Listed, target: string, part: SendPart): boolean {
  if (listed.subreddit.toLowerCase() !== target.toLowerCase()) return false;
  const { kind, title, content } = submissionOf(part.text);
  if (comparableText(listed.title) !== comparableText(title)) return false;
  // The image has another URL by now, and a community that allows no text with an image drops the text. The title of a link is its
  // URL, of which Reddit changes the link: it stores the host in ASCII.
  if (part.prepared !== null || kind === 'link') return !listed.is_self;
  return listed.is_self && comparableText(fromMarkdown(listed.selftext)) === comparableText(fromMarkdown(content));
}
