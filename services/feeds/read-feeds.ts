/** Lists the caller's feeds, newest first, and reads one with its latest items. */
import { Feed } from '../../entities/feed.ts';
import { FeedItem } from '../../entities/feed-item.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { type CursorPage, type Page, pageOf } from '../paging.ts';
import { feedItemView, type FeedItemView, feedView, type FeedView } from './feed-view.ts';
import { findFeed, reachableFeeds } from './find-feed.ts';

export async function listFeeds(
  context: Context,
  caller: Caller,
  { limit, cursor }: CursorPage,
): Promise<Page<FeedView>> {
  const where = { ...Object(reachableFeeds(caller)), ...(cursor !== undefined && { id: { $lt: cursor } }) };
  const feeds = await context.db.em().find(Feed, where, { orderBy: { id: 'desc' }, limit: limit + 1 });
  return pageOf(feeds.map(feedView), limit);
}

/** @throws ServiceError not_found for an unknown, deleted or foreign feed */
export async function getFeed(
  context: Context,
  caller: Caller,
  feedId: string,
  { limit, cursor }: CursorPage,
): Promise<{ feed: FeedView; items: FeedItemView[]; nextCursor: string | null }> {
  const em = context.db.em();
  const feed = await findFeed(em, caller, feedId);
  const where = { feedId: feed.id, ...(cursor !== undefined && { id: { $lt: cursor } }) };
  const found = await em.find(FeedItem, where, { orderBy: { id: 'desc' }, limit: limit + 1 });
  const { items, nextCursor } = pageOf(found.map(feedItemView), limit);
  return { feed: feedView(feed), items, nextCursor };
}
