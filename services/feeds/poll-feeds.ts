/**
 * Polls the feeds that are due. A claim moves the next poll on, so that other workers take other feeds and a poll that a
 * crash interrupts is repeated after a while.
 */
import type { WithCreations } from '../posts/create-posts.ts';
import { tables } from '../../entities/tables.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { FeedDisabledReason } from '../../entities/feed.ts';
import { callerOf, inForce } from '../access/stored-caller.ts';
import type { Context } from '../context.ts';
import { storeEvents } from '../events/store-events.ts';
import { storeOwnerNotices } from '../notices/store-owner-notices.ts';
import { dateOrNull } from '../timestamp.ts';
import { type ClaimedFeed, claimFeeds, releaseFeed, settleFeed } from './claim-feeds.ts';
import { disabledFeedEvent, disabledFeedNotice, type WorkerReason } from './disabled-feed.ts';
import { type FeedAnswer, fetchFeed, NOTHING_READ } from './fetch-feed.ts';
import { takeItems } from './take-items.ts';
import { areSourcesHeld, wereSourcesHeld } from '../restores/restored-sources.ts';
import type { WithRestoreWatch } from '../restores/restore-watch.ts';
import { roundEnd } from '../workers/round-end.ts';

/** Feeds that a worker polls at a time. */
const AT_ONCE = 10;

/** Longer than a poll takes. */
const LEASE_MS = 5 * 60_000;

/** Longest wait after failures. */
const WAIT_MAX_MS = 86_400_000;

/** No poll is planned as far ahead as this, in milliseconds, unless the clock was set back since. */
const PLANNED_MAX_MS = 2 * WAIT_MAX_MS;

/** A feed whose polls have failed for this long is disabled. */
const DISABLE_AFTER_MS = 3 * 86_400_000;

/** A feed that failed once before Carillon itself was down for days is tried again first. */
const FAILURES_AT_LEAST = 5;

/** @returns number of feeds that were polled; none are while posts are held after a restore */
export async function pollFeeds(
  context: Context & WithCreations & WithRestoreWatch,
  signal: AbortSignal,
): Promise<number> {
  let polled = 0;
  const isOver = roundEnd(context, signal);
  while (!isOver() && !(await areSourcesHeld(context))) {
    const now = context.clock.now();
    const until = new Date(+now + LEASE_MS);
    const farthest = new Date(+now + PLANNED_MAX_MS);
    const due = await claimFeeds(context.db.em(), { now, until, farthest, limit: AT_ONCE });
    await Promise.all(due.map((feed) => pollFeed(context, feed)));
    polled += due.length;
    if (due.length < AT_ONCE) break;
  }
  return polled;
}

/** When the next feed is due; null when there is none, or while posts are held after a restore. */
export async function nextPollAt(context: Context & WithRestoreWatch): Promise<Date | null> {
  if (wereSourcesHeld(context)) return null;
  const { at } = await tables(context.db.queries)
    .selectFrom('feeds')
    .select(({ fn }) => fn.min<string | null>('next_poll_at').as('at'))
    .where('disabled_at', 'is', null)
    .executeTakeFirstOrThrow();
  return dateOrNull(at);
}

async function pollFeed(context: Context & WithCreations & WithRestoreWatch, feed: ClaimedFeed): Promise<void> {
  const caller = await inForce(context, callerOf(feed.caller), 'posts:write');
  if (caller === null) {
    return disable(context, feed, 'ended', 'The key, agent or role that added the feed has ended.');
  }
  const { etag, last_modified: lastModified } = feed;
  const answer = await fetchFeed(context, feed.url, { etag, lastModified });
  if (answer.kind === 'failed') return settleFailure(context, feed, answer);
  if (answer.kind === 'unchanged' && etag === null && lastModified === null) {
    return settleFailure(context, feed, { kind: 'failed', why: NOTHING_READ, waitSeconds: 0 });
  }
  if (answer.kind === 'gone')
    return disable(context, feed, 'gone', 'The server says that the feed is gone (HTTP 410).');
  const isComplete = answer.kind === 'unchanged' || (await takeItems(context, caller, feed, answer.items));
  const now = context.clock.now();
  // Without validators, the next poll gets the items that did not fit into this one.
  const known =
    answer.kind === 'items' ? { etag: answer.etag, lastModified: answer.lastModified } : { etag, lastModified };
  const validators = isComplete ? known : { etag: null, lastModified: null };
  await store(context.db.em(), feed, {
    ...validators,
    nextPollAt: new Date(+now + feed.interval_minutes * 60_000),
    intervalMinutes: feed.interval_minutes,
    lastOkAt: now,
    failingSince: null,
    failures: 0,
    lastError: null,
  });
}

async function settleFailure(
  context: Context,
  feed: ClaimedFeed,
  { why, waitSeconds }: Extract<FeedAnswer, { kind: 'failed' }>,
): Promise<void> {
  const now = context.clock.now();
  const failures = feed.failures + 1;
  const failingSince = dateOrNull(feed.failing_since) ?? now;
  if (failures >= FAILURES_AT_LEAST && +now - +failingSince >= DISABLE_AFTER_MS) {
    return disable(context, feed, 'failing', why);
  }
  const backOff = Math.min(feed.interval_minutes * 60_000 * 2 ** Math.min(failures - 1, 10), WAIT_MAX_MS);
  await store(context.db.em(), feed, {
    ...unchanged(feed),
    nextPollAt: new Date(+now + Math.max(backOff, waitSeconds * 1_000)),
    failingSince,
    failures,
    lastError: why,
  });
}

/** The event and the notice are stored with the state that they report. */
async function disable(context: Context, feed: ClaimedFeed, reason: WorkerReason, why: string): Promise<void> {
  const at = context.clock.now();
  const isDisabled = await context.db.em().transactional(async (em: SqlEntityManager) => {
    const outcome = { ...unchanged(feed), nextPollAt: at, lastError: why, disabledAt: at, disabledReason: reason };
    if (!(await store(em, feed, outcome))) {
      // A caller whose rights are in force may have changed the feed meanwhile, and this poll has read nothing.
      if (reason === 'ended') await releaseFeed(em, { id: feed.id, leaseUntil: feed.next_poll_at, now: at });
      return false;
    }
    const disabling = { at, reason, why };
    await storeEvents(em, [disabledFeedEvent(context, feed, disabling)]);
    await storeOwnerNotices(context, em, feed.account_id, disabledFeedNotice(context, feed, disabling));
    return true;
  });
  if (isDisabled) context.log.warn({ feed: feed.id, reason }, 'a feed was disabled');
}

interface PollOutcome {
  readonly nextPollAt: Date;
  /** The interval that led to that time; null when another wait did. */
  readonly intervalMinutes: number | null;
  readonly lastOkAt: Date | null;
  readonly failingSince: Date | null;
  readonly failures: number;
  readonly lastError: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly disabledAt?: Date;
  readonly disabledReason?: FeedDisabledReason;
}

function unchanged(feed: ClaimedFeed) {
  return {
    intervalMinutes: null,
    lastOkAt: dateOrNull(feed.last_ok_at),
    failingSince: dateOrNull(feed.failing_since),
    failures: feed.failures,
    etag: feed.etag,
    lastModified: feed.last_modified,
  };
}

/** @returns whether the feed has kept its address and is enabled, and has kept its caller if that one has ended */
async function store(em: SqlEntityManager, feed: ClaimedFeed, outcome: PollOutcome): Promise<boolean> {
  const { id, url, items_since: itemsSince, next_poll_at: leaseUntil, caller } = feed;
  const { disabledAt = null, disabledReason = null, ...rest } = outcome;
  return (
    (await settleFeed(em, { id, url, itemsSince, leaseUntil, caller, ...rest, disabledAt, disabledReason })).length > 0
  );
}
