/** Changes, polls and deletes a feed. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Surface } from '../../entities/audit-entry.ts';
import type { Feed, FEED_DELIVERIES } from '../../entities/feed.ts';
import type { Caller } from '../access/caller.ts';
import { holdMaker } from '../access/maker.ts';
import { storedCaller } from '../access/stored-caller.ts';
import type { WithTargetLookups } from '../connections/resolve-slugs.ts';
import type { Context } from '../context.ts';
import { requireConnections } from './create-feed.ts';
import { requireFeedAddress } from './feed-address.ts';
import { feedView, type FeedView } from './feed-view.ts';
import { findFeed, lockFeed } from './find-feed.ts';

/** Shortest time between two polls that were asked for. */
const ASKED_EVERY_MS = 60_000;

/** Absent fields stay unchanged. */
export interface FeedChanges {
  readonly url?: string | undefined;
  readonly connectionSlugs?: readonly string[] | undefined;
  readonly template?: string | undefined;
  readonly delivery?: (typeof FEED_DELIVERIES)[number] | undefined;
  readonly intervalMinutes?: number | undefined;
  /** True also forgets failures, and polls at once. */
  readonly enabled?: boolean | undefined;
}

/**
 * What changes the posts that the feed makes gives it the rights of the caller, within what the feed reaches: otherwise a
 * supervised or revoked caller could go on publishing with the rights of another.
 *
 * @throws ServiceError not_found, invalid_request, invalid_connection, unauthorized when the caller's key or grant was
 *   revoked meanwhile
 */
export async function updateFeed(
  context: Context & WithTargetLookups,
  caller: Caller,
  feedId: string,
  { surface, ...changes }: FeedChanges & { readonly surface: Surface },
): Promise<FeedView> {
  const { url, connectionSlugs, enabled, ...fields } = changes;
  const { targetProfileId, connectionSlugs: present } = await findFeed(context.db.em(), caller, feedId);
  if (url !== undefined) requireFeedAddress(url);
  // Connections of the feed may be disconnected by now, which must not hold up other changes.
  const added = connectionSlugs?.filter((slug) => !present.includes(slug)) ?? [];
  if (added.length > 0) await requireConnections(context, caller, added, targetProfileId ?? null);
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const { policyId } = await holdMaker(em, caller);
    const feed = await lockFeed(em, caller, feedId);
    const now = context.clock.now();
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) Object.assign(feed, { [name]: value });
    if (fields.intervalMinutes !== undefined) pollNoLater(feed, fields.intervalMinutes, now);
    if (connectionSlugs !== undefined) feed.connectionSlugs = [...connectionSlugs];
    if (url !== undefined && url !== feed.url) {
      // Its next poll is the first one of that address.
      Object.assign(feed, { url, itemsSince: now, etag: null, lastModified: null, lastOkAt: null });
      forgetFailures(feed, now);
    }
    if (enabled === true && feed.disabledAt != null) {
      Object.assign(feed, { disabledAt: null, disabledReason: null });
      forgetFailures(feed, now);
    }
    if (enabled === false && feed.disabledAt == null) {
      Object.assign(feed, { disabledAt: now, disabledReason: 'requested' });
    }
    if (changesPosts(changes)) {
      const { mode, profileId } = feed;
      Object.assign(feed, { caller: storedCaller({ ...caller, policyId, mode, profileId }), surface });
    }
    await em.flush();
    return feedView(feed);
  });
}

/** How often a feed is polled, and that it no longer is, change no post. */
function changesPosts({ intervalMinutes: _interval, enabled, ...written }: FeedChanges): boolean {
  return enabled === true || Object.values(written).some((value) => value !== undefined);
}

/** A shorter interval counts from the last poll. After failures the next poll keeps its time. */
function pollNoLater(feed: Feed, intervalMinutes: number, now: Date): void {
  if (feed.failures > 0 || feed.lastPolledAt == null) return;
  const at = new Date(Math.max(now.getTime(), feed.lastPolledAt.getTime() + intervalMinutes * 60_000));
  if (at < feed.nextPollAt) feed.nextPollAt = at;
}

function forgetFailures(feed: Feed, now: Date): void {
  Object.assign(feed, { failingSince: null, failures: 0, lastError: null, nextPollAt: now });
}

/**
 * Lets a worker poll the feed now, at most once a minute.
 *
 * @throws ServiceError not_found for an unknown, deleted or foreign feed
 */
export async function pollFeedNow(context: Context, caller: Caller, feedId: string): Promise<FeedView> {
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const feed = await lockFeed(em, caller, feedId);
    const now = context.clock.now().getTime();
    // A poll of a later time was made before the clock was set back.
    const polledAt = Math.min(feed.lastPolledAt?.getTime() ?? -Infinity, now);
    const at = new Date(Math.max(now, polledAt + ASKED_EVERY_MS));
    if (at < feed.nextPollAt) feed.nextPollAt = at;
    await em.flush();
    return feedView(feed);
  });
}

/**
 * Its posts and drafts stay.
 *
 * @throws ServiceError not_found for an unknown, deleted or foreign feed
 */
export async function deleteFeed(context: Context, caller: Caller, feedId: string): Promise<void> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    await em.remove(await lockFeed(em, caller, feedId)).flush();
  });
}
