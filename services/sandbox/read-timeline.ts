/**
 * Reads the public view of the sandbox's timelines: deleted posts are left out, and the sender of a post is not shown.
 */
import { validate as isUuid } from 'uuid';
import { anyOf } from '../../entities/any-of.ts';
import { type Tables, tables } from '../../entities/tables.ts';
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

const COLUMNS = ['id', 'root_id', 'text', 'images', 'created_at'] as const;

type Row = Pick<Tables['sandbox_posts'], (typeof COLUMNS)[number]>;

/**
 * @param before id of a post: the page has older ones
 * @returns null when the account is unknown or never posted, or an id is malformed
 */
export async function readTimeline(context: Context, accountId: string, before?: string): Promise<Timeline | null> {
  if (!isUuid(accountId) || (before !== undefined && !isUuid(before))) return null;
  const em = context.db.em();
  const account = await tables(em)
    .selectFrom('sandbox_posts')
    .select('handle')
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (account === undefined) return null;
  let page = tables(em)
    .selectFrom('sandbox_posts')
    .select(COLUMNS)
    .where('account_id', '=', accountId)
    .where('root_id', 'is', null)
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    // One row more than a page shows, to detect a next page.
    .limit(TIMELINE_PAGE_SIZE + 1);
  if (before !== undefined) page = page.where('id', '<', before);
  const rows = await page.execute();
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
  const row = await tables(context.db.queries)
    .selectFrom('sandbox_posts')
    .select([...COLUMNS, 'handle', 'deleted_at'])
    .where('account_id', '=', accountId)
    .where('id', '=', postId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const [thread] = await withReplies(context, [row]);
  if (thread === undefined) return null;
  return { ...thread, handle: row.handle, takenDown: row.deleted_at !== null, rootId: row.root_id };
}

async function withReplies(context: Context, rows: readonly Row[]): Promise<TimelineThread[]> {
  const ids = rows.map(({ id }) => id);
  const replies = await tables(context.db.queries)
    .selectFrom('sandbox_posts')
    .select(COLUMNS)
    .where('root_id', '=', anyOf(ids))
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  const byRoot = Map.groupBy(replies, (reply) => reply.root_id);
  return rows.map((row) => ({ ...toEntry(row), replies: (byRoot.get(row.id) ?? []).map(toEntry) }));
}

function toEntry(row: Row): TimelineEntry {
  const altTexts = row.images.map(({ altText }) => altText);
  return { id: row.id, text: row.text, createdAt: timestamp(row.created_at), altTexts };
}
