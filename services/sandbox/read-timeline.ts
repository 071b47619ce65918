/**
 * Reads the public view of the sandbox's timelines: deleted posts are left out, and the sender of a post is not shown.
 */
import { validate as isUuid } from 'uuid';
import { query } from '../../entities/query.ts';
import type { SandboxImage } from '../../platforms/sandbox/timeline.ts';
import type { Context } from '../context.ts';
import { timestamp } from '../timestamp.ts';

/** Most posts on one page. */
export const TIMELINE_PAGE_SIZE = 50;

/** A post on a timeline. */
export interface TimelineEntry {
  readonly id: string;
  readonly text: string;
  readonly createdAt: string;
  /** Alternative texts of its images, in order; empty for an image without one. */
  readonly altTexts: readonly string[];
}

/** A post with its replies, in order. */
export interface TimelineThread extends TimelineEntry {
  readonly replies: readonly TimelineEntry[];
}

/** One page of a timeline, newest first. */
export interface Timeline {
  readonly handle: string;
  readonly posts: readonly TimelineThread[];
  /** The `before` value of the next page; null on the last. */
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
  where account_id = $1 and root_id is null and deleted_at is null and ($2::uuid is null or id < $2::uuid)
  order by id desc
  limit $3`;

const REPLIES = `
  select id, root_id, text, images, created_at from sandbox_posts
  where root_id = any($1::uuid[]) and deleted_at is null order by id`;

/**
 * @param before id of a post: the page has older ones
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
  // Selects one row more than a page shows, to detect a next page.
  const rows = await query<Row>(em, PAGE, [accountId, before ?? null, TIMELINE_PAGE_SIZE + 1]);
  const posts = await withReplies(context, rows.slice(0, TIMELINE_PAGE_SIZE));
  return {
    handle: account.handle,
    posts,
    olderBefore: rows.length > TIMELINE_PAGE_SIZE ? (posts.at(-1)?.id ?? null) : null,
  };
}

/** One post or reply, as its own page shows it. */
export interface TimelinePage extends TimelineThread {
  readonly handle: string;
  readonly takenDown: boolean;
  /** The post that it replies to; null for a post. */
  readonly rootId: string | null;
}

/** @returns null when no such post ever existed on this account, or an id is malformed */
export async function readTimelinePost(
  context: Context,
  accountId: string,
  postId: string,
): Promise<TimelinePage | null> {
  if (!isUuid(accountId) || !isUuid(postId)) return null;
  const [row] = await query<Row & { handle: string; taken_down: boolean; root_id: string | null }>(
    context.db.em(),
    'select id, root_id, text, images, created_at, handle, deleted_at is not null as taken_down from sandbox_posts where account_id = $1 and id = $2',
    [accountId, postId],
  );
  if (row === undefined) return null;
  const { handle, taken_down: takenDown, root_id: rootId } = row;
  const [thread] = await withReplies(context, [row]);
  return { ...(thread as TimelineThread), handle, takenDown, rootId };
}

async function withReplies(context: Context, rows: readonly Row[]): Promise<TimelineThread[]> {
  const ids = rows.map(({ id }) => id);
  const replies = await query<Row & { root_id: string }>(context.db.em(), REPLIES, [ids]);
  const byRoot = Map.groupBy(replies, (reply) => reply.root_id);
  return rows.map((row) => ({ ...toEntry(row), replies: (byRoot.get(row.id) ?? []).map(toEntry) }));
}

function toEntry(row: Row): TimelineEntry {
  const altTexts = row.images.map(({ altText }) => altText);
  return { id: row.id, text: row.text, createdAt: timestamp(row.created_at), altTexts };
}
