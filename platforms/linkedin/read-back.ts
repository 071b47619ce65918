/** Finds the post or comment of a part: in the list of a page, or in the error that refuses a duplicate. */
import { z } from 'zod';
import { Inconclusive, PlatformFailure, type PlatformIo, type SendPart, type Session } from '../contract.ts';
import type { PlatformAnswer } from '../http.ts';
import { comparableText, earliestOfSends } from '../match-post.ts';
import { failure, inputErrorsOf, isOk, reasonOf } from './api.ts';
import { fromLittleText } from './little-text.ts';
import { callLoggedIn, type LinkedInCredential } from './credential.ts';

/** Maximum number of posts or comments to request. */
const LISTED_MAX = 50;

/** Matches the URN of a post and captures its id. */
const POST_URN = /urn:li:(?:share|ugcPost):(\d{1,20})/;

/** Number of low bits of a post id that do not hold its time. */
const SEQUENCE_BITS = 22n;

const Posts = z.object({
  elements: z.array(z.object({ id: z.string(), commentary: z.string().default(''), createdAt: z.number() })),
});
const Comments = z.object({
  elements: z.array(
    z.object({
      id: z.string(),
      actor: z.string(),
      message: z.object({ text: z.string() }),
      created: z.object({ time: z.number() }),
    }),
  ),
});

/** Entries of a list, newest first. */
interface Listed {
  readonly id: string;
  readonly text: string;
  readonly createdAt: number;
}

/**
 * Finds the id of a part's post or comment, or null when nothing on the page matches.
 *
 * @throws PlatformFailure when LinkedIn does not list it: members' posts are never listed
 */
export async function findMade(
  session: Session<LinkedInCredential>,
  io: PlatformIo,
  part: SendPart,
): Promise<string | null> {
  if (session.credential.organizationId === null) {
    throw new Inconclusive('LinkedIn does not list the posts of a member.');
  }
  const path = part.root === undefined ? postsPath(session) : commentsPath(part.root.platformPostId);
  const answer = await callLoggedIn(session, io, path, part.root === undefined ? { restli: 'FINDER' } : {});
  if (!isOk(answer)) throw failure(answer);
  const listed = part.root === undefined ? postsOf(answer) : commentsOf(answer, session.platformAccountId);
  const earliest = earliestOfSends(part, answer, io.now());
  const recent = listed.filter(({ createdAt }) => createdAt >= earliest);
  // Oldest first: a later post with the same text is someone's second attempt.
  const found = recent.toReversed().find(({ text }) => comparableText(text) === comparableText(part.text));
  if (found === undefined && recent.length >= LISTED_MAX) {
    throw new Inconclusive('The page has more that is new than LinkedIn lists.');
  }
  return found?.id ?? null;
}

/**
 * URN of the existing post that LinkedIn says this post duplicates; null when it is not this part's post. A post
 * id contains its creation time. It counts only if that is after the first send that may have published the part.
 *
 * @throws PlatformFailure `unknown` when LinkedIn refuses a repeat as a duplicate and names no post
 */
export function provenBy(answer: PlatformAnswer, part: SendPart, now: Date): string | null {
  if (part.unknownSince === undefined || !inputErrorsOf(answer).includes('DUPLICATE_POST')) return null;
  const urn = POST_URN.exec(reasonOf(answer));
  if (urn === null) {
    const message = 'LinkedIn refused a duplicate and did not name its post: an earlier send of this one may be up.';
    throw new PlatformFailure('unknown', message);
  }
  const createdAt = Number(BigInt(urn[1] ?? '0') >> SEQUENCE_BITS);
  return createdAt >= earliestOfSends(part, answer, now) ? urn[0] : null;
}

function postsPath({ platformAccountId }: Session<LinkedInCredential>): string {
  return `/rest/posts?author=${encodeURIComponent(platformAccountId)}&q=author&count=${LISTED_MAX}&sortBy=CREATED`;
}

function commentsPath(postUrn: string): string {
  return `/rest/socialActions/${encodeURIComponent(postUrn)}/comments?count=${LISTED_MAX}`;
}

function postsOf({ body }: PlatformAnswer): Listed[] {
  const posts = Posts.safeParse(body);
  if (!posts.success) throw new PlatformFailure('unknown', 'LinkedIn did not list what the page has posted.');
  return posts.data.elements.map(({ id, commentary, createdAt }) => {
    return { id, text: fromLittleText(commentary), createdAt };
  });
}

function commentsOf({ body }: PlatformAnswer, actor: string): Listed[] {
  const comments = Comments.safeParse(body);
  if (!comments.success) throw new PlatformFailure('unknown', 'LinkedIn did not list the comments.');
  return comments.data.elements
    .filter((comment) => comment.actor === actor)
    .map(({ id, message, created }) => ({ id, text: message.text, createdAt: created.time }))
    .toSorted((one, other) => other.createdAt - one.createdAt);
}
