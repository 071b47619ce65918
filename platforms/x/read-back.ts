/** Finds a post whose response was lost. A post does not contain our token, so the match uses time, place and text. */
import { z } from 'zod';
import { Inconclusive, PlatformFailure, type PlatformIo, type SendPart, type Session } from '../contract.ts';
import { findDuplicated } from '../find-duplicated.ts';
import type { PlatformAnswer } from '../http.ts';
import { comparableText, requirePast } from '../match-post.ts';
import { failure, isOk, reason } from './api.ts';
import { callLoggedIn, type XCredential } from './credential.ts';

/** Number of posts to request, newest first. X charges for each listed post. */
const PAGE = 10;

/** How far X's clock may be behind ours. */
const CLOCK_DIFFERENCE_MS = 60_000;

const Reference = z.object({ type: z.string(), id: z.string() });
const Url = z.object({
  url: z.string().nullish(),
  expanded_url: z.string().nullish(),
  media_key: z.string().nullish(),
});

const ListedPost = z.object({
  id: z.string(),
  text: z.string(),
  // X is renaming tweets to posts, field by field.
  referenced_tweets: z.array(Reference).optional(),
  referenced_posts: z.array(Reference).optional(),
  entities: z.object({ urls: z.array(Url).nullish() }).optional(),
});
type ListedPost = z.infer<typeof ListedPost>;

/** A page without posts has no `data`; a page with errors may omit posts. */
const Page = z.object({ data: z.array(ListedPost).optional(), errors: z.undefined().optional() });

/**
 * Finds the id of a part's post, or returns null when the account has no match.
 *
 * @throws PlatformFailure when X cannot be reached, or the account has more new posts than one request lists
 */
export async function findPost(session: Session<XCredential>, io: PlatformIo, part: SendPart): Promise<string | null> {
  const query = new URLSearchParams({
    max_results: String(PAGE),
    'tweet.fields': 'entities,referenced_tweets',
    ...earliest(part),
  });
  const path = `/2/users/${encodeURIComponent(session.platformAccountId)}/tweets?${query.toString()}`;
  const answer = await callLoggedIn(session, io, path);
  if (!isOk(answer)) throw failure(answer);
  const page = Page.safeParse(answer.body);
  if (!page.success) throw new PlatformFailure('unknown', 'X did not list the posts of the account.');
  requirePast(part.unknownSince ?? part.startedAt, io.now());
  const posts = page.data.data ?? [];
  const parentId = part.parent?.platformPostId;
  // The list is newest first, so the last match is the earliest post.
  const found = posts.findLast(
    (post) => parentOf(post) === parentId && comparable(shownText(post)) === comparable(part.text),
  );
  if (found === undefined && posts.length >= PAGE) {
    throw new Inconclusive('The account has more new posts than Carillon asks X for.');
  }
  return found?.id ?? null;
}

/** X's refusal of a text that the account has posted recently. It does not say in which post. */
const DUPLICATE = /\bduplicate\b/i;

/**
 * Finds the post of an earlier send of this part that may have arrived, when X refuses the repeat as a duplicate. Null when the
 * refusal is about another post.
 *
 * @throws PlatformFailure `unknown` when X does not show which post it means
 */
export async function findEarlierSend(
  session: Session<XCredential>,
  io: PlatformIo,
  part: SendPart,
  refusal: PlatformAnswer,
): Promise<string | null> {
  if (part.unknownSince === undefined || refusal.status !== 403 || !DUPLICATE.test(reason(refusal))) return null;
  return findDuplicated('X', () => findPost(session, io, part));
}

/** A reply is later than its parent; a head post is later than the first attempt that may have published it. */
function earliest(part: SendPart): Record<string, string> {
  if (part.parent !== undefined) return { since_id: part.parent.platformPostId };
  const instant = new Date((part.unknownSince ?? part.startedAt).getTime() - CLOCK_DIFFERENCE_MS);
  return { start_time: instant.toISOString().replace(/\.\d+Z$/, 'Z') };
}

function parentOf(post: ListedPost): string | undefined {
  const references = post.referenced_tweets ?? post.referenced_posts ?? [];
  return references.find(({ type }) => type === 'replied_to')?.id;
}

/** The text with X's short links replaced by the original ones, and without the links of its images. */
function shownText({ text, entities }: ListedPost): string {
  const typed = (entities?.urls ?? []).reduce((shown, { url, expanded_url: expanded, media_key: media }) => {
    if (typeof url !== 'string') return shown;
    return shown.replace(url, () => (typeof media === 'string' ? '' : (expanded ?? '')));
  }, text);
  return typed.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');
}

/** Also without what X changes in a URL: its scheme and its slashes. */
function comparable(text: string): string {
  return comparableText(text.replace(/https?:\/\/|\//gi, ''));
}
