/** Finding what LinkedIn has made of a part: in the list of a page, or in the words with which it refuses a repeat. */
import { z } from 'zod';
import { PlatformFailure, type PlatformIo, type SendPart, type Session } from '../contract.ts';
import type { PlatformAnswer } from '../http.ts';
import { earliestOf } from '../look-back.ts';
import { failure, inputErrorsOf, isOk, reasonOf } from './api.ts';
import { fromLittleText } from './little-text.ts';
import { callLoggedIn, type LinkedInLogin } from './session.ts';

/** Posts, or comments, that are asked for. */
const LISTED_MAX = 50;

/** The URN of a post, and its number. */
const POST_URN = /urn:li:(?:share|ugcPost):(\d{1,20})/;

/** Bits of the number of a post that are not its time. */
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

/** What a list shows, newest first. */
interface Listed {
  readonly id: string;
  readonly text: string;
  readonly createdAt: number;
}

/**
 * Id of what a part became, or null when the page has nothing that fits.
 *
 * @throws PlatformFailure when LinkedIn does not list it: it lists nothing of what a member posts
 */
export async function findMade(
  session: Session<LinkedInLogin>,
  io: PlatformIo,
  part: SendPart,
): Promise<string | null> {
  if (session.credential.organizationId === null) {
    throw new PlatformFailure('unknown', 'LinkedIn shows nobody what a member has posted.');
  }
  const path = part.root === undefined ? postsPath(session) : commentsPath(part.root.platformPostId);
  const answer = await callLoggedIn(session, io, path, part.root === undefined ? { restli: 'FINDER' } : {});
  if (!isOk(answer)) throw failure(answer);
  const listed = part.root === undefined ? postsOf(answer) : commentsOf(answer, session.platformAccountId);
  const earliest = earliestOf(part, answer, io.now());
  const recent = listed.filter(({ createdAt }) => createdAt >= earliest);
  // Oldest first: a later one with the same text is somebody's second try.
  const found = recent.toReversed().find(({ text }) => essence(text) === essence(part.text));
  if (found === undefined && recent.length >= LISTED_MAX) {
    throw new PlatformFailure('unknown', 'The page has more that is new than LinkedIn lists.');
  }
  return found?.id ?? null;
}

/**
 * URN of the post that LinkedIn says it would be a second one of; null when it is none of this post's. The number
 * of a post holds its time, and only one from after the send that is in doubt is that send's.
 */
export function provenBy(answer: PlatformAnswer, part: SendPart, now: Date): string | null {
  if (part.inDoubtSince === undefined || !inputErrorsOf(answer).includes('DUPLICATE_POST')) return null;
  const urn = POST_URN.exec(reasonOf(answer));
  if (urn === null) return null;
  const createdAt = Number(BigInt(urn[1] ?? '0') >> SEQUENCE_BITS);
  return createdAt >= earliestOf({ ...part, startedAt: part.inDoubtSince }, answer, now) ? urn[0] : null;
}

function postsPath({ platformAccountId }: Session<LinkedInLogin>): string {
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

/** A text without what LinkedIn may change of it: white space, and how accents are composed. */
function essence(text: string): string {
  return text.toWellFormed().normalize('NFC').replace(/\s+/gu, '');
}
