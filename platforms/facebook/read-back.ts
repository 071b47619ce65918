/** Finding a post or a comment of which the answer was lost. The Graph API takes no token of ours, so time, place and text have to do. */
import { z } from 'zod';
import { PlatformFailure, type PlatformIo, type SendPart } from '../contract.ts';
import { earliestOf, essence } from '../look-back.ts';
import { callGraph, failure, type PageLogin } from './api.ts';

/** What is read of a post or comment that was just made. */
export const Made = z.object({ id: z.string(), permalink_url: z.string().optional().catch(undefined) });
export type Made = z.infer<typeof Made>;

/** Fields of {@link Made}, as they are asked for. */
export const MADE_FIELDS = 'id,permalink_url';

const Listed = Made.extend({
  /** Absent when there is no text. */
  message: z.string().default(''),
  /** Such as 2026-11-21T09:00:00+0000, which is not quite RFC 3339. */
  created_time: z.string().refine((time) => !Number.isNaN(Date.parse(time))),
  from: z.object({ id: z.string() }).optional().catch(undefined),
});
const List = z.object({ data: z.array(Listed) });

/** Posts, or comments, that are asked for. */
const LISTED_MAX = 50;

/** `@[123]` in a text becomes a name in what is shown. */
const MENTION = /@\[[^\]]*\]/u;

/**
 * What a part became, or null when the Page has nothing that fits.
 *
 * @param edge the list to look at, newest first: the Page's posts or the comments of one post
 * @throws PlatformFailure when Facebook cannot be asked, or its answer cannot tell
 */
export async function findMade(io: PlatformIo, login: PageLogin, edge: string, part: SendPart): Promise<Made | null> {
  const query = {
    fields: `${MADE_FIELDS},message,created_time,from`,
    limit: String(LISTED_MAX),
    // Comments come by relevance, and without some, unless they are asked for otherwise.
    ...(part.step === 'first_comment' && { order: 'reverse_chronological', filter: 'stream' }),
  };
  const answer = await callGraph(io, login, edge, { query });
  if (answer.status !== 200) throw failure(answer);
  const list = List.safeParse(answer.body);
  if (!list.success) throw new PlatformFailure('unknown', 'Facebook did not list what the Page has posted.');

  const earliest = earliestOf(part, answer, io.now());
  const recent = list.data.data.filter((listed) => Date.parse(listed.created_time) >= earliest);
  const own = recent.filter(({ from }) => from === undefined || from.id === login.pageId);
  // Oldest first: a later one with the same text is somebody's second try.
  const found = own.toReversed().find(({ message }) => essence(message) === essence(part.text));
  if (found !== undefined) return found;
  if (recent.length >= LISTED_MAX) {
    throw new PlatformFailure('unknown', 'The Page has more that is new than Facebook lists.');
  }
  if (own.length > 0 && MENTION.test(part.text)) {
    throw new PlatformFailure('unknown', 'A text with mentions cannot be compared with what Facebook shows of it.');
  }
  return null;
}
