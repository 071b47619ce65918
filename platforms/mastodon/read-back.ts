/**
 * Finds a status whose response was lost. A status does not contain our token, so the match uses time, place and
 * text.
 */
import { z } from 'zod';
import { Inconclusive, PlatformFailure, type PlatformIo, type SendPart } from '../contract.ts';
import { isTemporary, stringField } from '../http.ts';
import { earliestOf } from '../match-post.ts';
import { type Access, callMastodon, failure } from './api.ts';
import { plainText, sameText } from './content.ts';

/** The fields of a recent status. */
export const Status = z.object({ id: z.string(), url: z.string().nullish(), uri: z.string().nullish() });
export type Status = z.infer<typeof Status>;

const ListedStatus = Status.extend({
  created_at: z.iso.datetime({ offset: true }),
  in_reply_to_id: z.string().nullish(),
  content: z.string(),
});
type ListedStatus = z.infer<typeof ListedStatus>;

/** Statuses per page; the maximum that servers return. */
const PAGE = 40;

/**
 * Finds the status of a part, or returns null when the account has no match.
 *
 * @throws PlatformFailure when the server cannot be reached, or has more new statuses than it lists
 */
export async function findStatus(
  io: PlatformIo,
  access: Access,
  accountId: string,
  part: SendPart,
): Promise<Status | null> {
  const path = `/api/v1/accounts/${encodeURIComponent(accountId)}/statuses?limit=${PAGE}&exclude_reblogs=true`;
  const answer = await callMastodon(io, access, path);
  if (answer.status !== 200) throw failure(answer);
  const page = z.array(ListedStatus).safeParse(answer.body);
  if (!page.success)
    throw new PlatformFailure('unknown', 'The Mastodon server did not list the statuses of the account.');

  const earliest = earliestOf(part, answer, io.now());
  const recent = page.data.filter((status) => Date.parse(status.created_at) >= earliest);
  const parentId = part.parent?.platformPostId ?? null;
  // Oldest first: a later one with the same text is someone's second attempt.
  const fitting = recent.filter((status) => (status.in_reply_to_id ?? null) === parentId).toReversed();
  const found = await firstWithText(io, access, fitting, part.text);
  if (found === null && recent.length >= PAGE) {
    throw new Inconclusive('The account has more new statuses than its Mastodon server lists.');
  }
  return found;
}

/** Compares the shown text, then the source text: some servers read asterisks and similar characters as markup. */
async function firstWithText(
  io: PlatformIo,
  access: Access,
  statuses: readonly ListedStatus[],
  text: string,
): Promise<Status | null> {
  const shown = statuses.find((status) => sameText(plainText(status.content), text));
  if (shown !== undefined) return shown;
  for (const status of statuses) {
    const source = await callMastodon(io, access, `/api/v1/statuses/${encodeURIComponent(status.id)}/source`);
    if (isTemporary(source)) throw failure(source);
    // Without its source, a status that shows another text may still be this part, and a repeat would be a second one.
    if (source.status !== 200) {
      const message = `The Mastodon server does not show the source of a status: HTTP ${source.status}.`;
      throw new Inconclusive(message);
    }
    if (sameText(stringField(source.body, 'text') ?? '', text)) return status;
  }
  return null;
}
