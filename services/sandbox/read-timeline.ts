/** Reads the sandbox's timelines as the public sees them: what was taken down is gone, and who sent a post is not told. */
import { validate as isUuid } from 'uuid';
import { query } from '../../entities/query.ts';
import type { SandboxImage } from '../../platforms/sandbox/timeline.ts';
import type { Context } from '../context.ts';
import { timestamp } from '../timestamp.ts';

/** Most posts of one page. */
export const TIMELINE_PAGE_SIZE = 50;

/** A post on a timeline. */
export interface TimelineEntry {
  readonly id: string;
  readonly text: string;
  readonly createdAt: string;
  /** What its images show, in order; empty where nothing was said. */
  readonly altTexts: readonly string[];
}

/** One page of a timeline, newest first. */
export interface Timeline {
  readonly handle: string;
  readonly posts: readonly TimelineEntry[];
  /** What to pass as `before` for the next page; null on the last. */
  readonly olderBefore: string | null;
}

interface Row {
  id: string;
  text: string;
  images: readonly SandboxImage[];
  created_at: Date | string;
}

const PAGE = `
  select id, text, images, created_at
  from sandbox_posts
  where account_id = $1 and deleted_at is null and ($2::uuid is null or id < $2::uuid)
  order by id desc
  limit $3`;

/**
 * @param before id of a post: gives what is older
 * @returns null when the account is unknown or never posted, or an id is malformed
 */
export async function readTimeline(context: Context, accountId: string, before?: string): Promise<Timeline | null> {
  if (!isUuid(accountId) || (before !== undefined && !isUuid(before))) return null;
  const em = context.db.em();
  const [account] = await query<{ handle: string }>(
    em,
    'select handle from sandbox_posts where account_id = $1 order by id desc limit 1',
    [accountId],
  );
  if (account === undefined) return null;
  // One more than is shown tells whether there is a next page.
  const rows = await query<Row>(em, PAGE, [accountId, before ?? null, TIMELINE_PAGE_SIZE + 1]);
  const posts = rows.slice(0, TIMELINE_PAGE_SIZE).map(toEntry);
  return {
    handle: account.handle,
    posts,
    olderBefore: rows.length > TIMELINE_PAGE_SIZE ? (posts.at(-1)?.id ?? null) : null,
  };
}

/** @returns null when there never was such a post on this account, or an id is malformed */
export async function readTimelinePost(
  context: Context,
  accountId: string,
  postId: string,
): Promise<(TimelineEntry & { handle: string; takenDown: boolean }) | null> {
  if (!isUuid(accountId) || !isUuid(postId)) return null;
  const [row] = await query<Row & { handle: string; taken_down: boolean }>(
    context.db.em(),
    'select id, text, images, created_at, handle, deleted_at is not null as taken_down from sandbox_posts where account_id = $1 and id = $2',
    [accountId, postId],
  );
  return row === undefined ? null : { ...toEntry(row), handle: row.handle, takenDown: row.taken_down };
}

function toEntry(row: Row): TimelineEntry {
  const altTexts = row.images.map(({ altText }) => altText);
  return { id: row.id, text: row.text, createdAt: timestamp(row.created_at), altTexts };
}
