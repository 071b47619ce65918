/**
 * Finds a post or comment whose response was lost. The Graph API takes no idempotency token, so the match uses
 * time, place and text.
 */
import { z } from 'zod';
import { Inconclusive, PlatformFailure, type PlatformIo, type SendPart } from '../contract.ts';
import { findDuplicated } from '../find-duplicated.ts';
import { comparableText, earliestOfSends } from '../match-post.ts';
import { callGraph, failure, type GraphAnswer, type PageCredential } from './api.ts';

/** The fields of a recent post or comment. */
export const Made = z.object({ id: z.string(), permalink_url: z.string().optional().catch(undefined) });
export type Made = z.infer<typeof Made>;

/** The fields of {@link Made}, as the request names them. */
export const MADE_FIELDS = 'id,permalink_url';

const Listed = Made.extend({
  /** Absent when the post has no text. */
  message: z.string().default(''),
  /** Such as 2026-11-21T09:00:00+0000, which is not valid RFC 3339. */
  created_time: z.string().refine((time) => !Number.isNaN(Date.parse(time))),
  from: z.object({ id: z.string() }).optional().catch(undefined),
});
const List = z.object({ data: z.array(Listed) });

/** Maximum number of posts or comments to request. */
const LISTED_MAX = 50;

/** Facebook replaces `@[123]` in a text by a name. */
const MENTION = /@\[[^\]]*\]/u;

/**
 * Finds the post or comment of a part, or returns null when the Page has no match.
 *
 * @param edge the list to search, newest first: the Page's posts or the comments of one post
 * @throws PlatformFailure when Facebook cannot be reached, or its response is ambiguous
 */
export async function findMade(
  io: PlatformIo,
  credential: PageCredential,
  edge: string,
  part: SendPart,
): Promise<Made | null> {
  const query = {
    fields: `${MADE_FIELDS},message,created_time,from`,
    limit: String(LISTED_MAX),
    // By default, comments are ranked by relevance and some are left out.
    ...(part.step === 'first_comment' && { order: 'reverse_chronological', filter: 'stream' }),
  };
  const answer = await callGraph(io, credential, edge, { query });
  if (answer.status !== 200) throw failure(answer);
  const list = List.safeParse(answer.body);
  if (!list.success) throw new PlatformFailure('unknown', 'Facebook did not list what the Page has posted.');

  const earliest = earliestOfSends(part, answer, io.now());
  const recent = list.data.data.filter((listed) => Date.parse(listed.created_time) >= earliest);
  const own = recent.filter(({ from }) => from === undefined || from.id === credential.pageId);
  // Oldest first: a later one with the same text is someone's second attempt.
  const found = own.toReversed().find(({ message }) => comparableText(message) === comparableText(part.text));
  if (found !== undefined) return found;
  if (recent.length >= LISTED_MAX) {
    throw new Inconclusive('The Page has more that is new than Facebook lists.');
  }
  if (own.length > 0 && MENTION.test(part.text)) {
    throw new Inconclusive('A text with mentions cannot be compared with what Facebook shows of it.');
  }
  return null;
}

/** Facebook's error for a text that the Page has posted recently. It does not say in which post. */
const DUPLICATE = 506;

/**
 * Finds the post or comment of an earlier send of this part that may have arrived, when Facebook refuses the repeat as a duplicate.
 * Null when the refusal is about another one.
 *
 * @param edge as {@link findMade}
 * @throws PlatformFailure `unknown` when Facebook does not show which post it means
 */
export async function findEarlierSend(
  io: PlatformIo,
  credential: PageCredential,
  edge: string,
  part: SendPart,
  { error }: GraphAnswer,
): Promise<Made | null> {
  if (part.unknownSince === undefined || error?.code !== DUPLICATE) return null;
  return findDuplicated('Facebook', () => findMade(io, credential, edge, part));
}
