/** A feed and its items in the wire format (docs/contract/feeds.md). */
import type { Feed, FEED_DELIVERIES, FeedDisabledReason } from '../../entities/feed.ts';
import type { FEED_ITEM_STATUSES, FeedItem } from '../../entities/feed-item.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';

export interface FeedView {
  id: string;
  url: string;
  connectionSlugs: string[];
  profileId: string | null;
  template: string;
  delivery: (typeof FEED_DELIVERIES)[number];
  intervalMinutes: number;
  mode: 'live' | 'test';
  enabled: boolean;
  disabledAt: string | null;
  disabledReason: FeedDisabledReason | null;
  createdAt: string;
  nextPollAt: string | null;
  lastPolledAt: string | null;
  lastOkAt: string | null;
  lastError: string | null;
}

export interface FeedItemView {
  id: string;
  title: string;
  link: string | null;
  status: (typeof FEED_ITEM_STATUSES)[number];
  postIds: string[];
  error: { code: string; message: string } | null;
  createdAt: string;
}

export function feedView(feed: Feed): FeedView {
  const disabledAt = feed.disabledAt ?? null;
  return {
    id: feed.id,
    url: feed.url,
    connectionSlugs: [...feed.connectionSlugs],
    profileId: feed.targetProfileId ?? null,
    template: feed.template,
    delivery: feed.delivery,
    intervalMinutes: feed.intervalMinutes,
    mode: feed.mode,
    enabled: disabledAt === null,
    disabledAt: timestampOrNull(disabledAt),
    disabledReason: feed.disabledReason ?? null,
    createdAt: timestamp(feed.createdAt),
    nextPollAt: disabledAt === null ? timestamp(feed.nextPollAt) : null,
    lastPolledAt: timestampOrNull(feed.lastPolledAt ?? null),
    lastOkAt: timestampOrNull(feed.lastOkAt ?? null),
    lastError: feed.lastError ?? null,
  };
}

export function feedItemView(item: FeedItem): FeedItemView {
  const { id, title, link, status, results, errorCode, errorMessage, createdAt } = item;
  const posts = results as { readonly postId: string | null }[];
  return {
    id,
    title,
    link: link ?? null,
    status,
    postIds: posts.flatMap(({ postId }) => postId ?? []),
    error: errorCode == null ? null : { code: errorCode, message: errorMessage ?? '' },
    createdAt: timestamp(createdAt),
  };
}
