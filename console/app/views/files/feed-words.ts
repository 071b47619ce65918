/** Words for feeds: how often they are polled, why one is disabled, and when they are read again. */
import type { Outputs } from '../../data/trpc.ts';

export type Feed = Outputs['feeds']['list']['feeds'][number];
export type FeedItem = Outputs['feeds']['get']['items'][number];

/** Minutes between two polls, and their words. */
export const INTERVALS: Readonly<Record<string, string>> = {
  15: 'every 15 minutes',
  30: 'every 30 minutes',
  60: 'every hour',
  180: 'every 3 hours',
  360: 'every 6 hours',
  720: 'every 12 hours',
  1440: 'every day',
};

export function intervalInWords(minutes: number): string {
  return INTERVALS[minutes] ?? `every ${minutes} minutes`;
}

export const DELIVERIES: Readonly<Record<Feed['delivery'], string>> = {
  draft: 'Drafts, for a person to publish',
  queue: 'Posts in the next free slots of the queues',
};

/** Why a feed is not polled, in sentences that say what to do. */
export const DISABLED: Readonly<Record<NonNullable<Feed['disabledReason']>, string>> = {
  requested: 'A person or a program paused it.',
  failing: 'Every poll failed for three days. Check the address and its server, then resume it.',
  gone: 'Its server says that it is gone for good. Give it another address, or delete it.',
  ended: 'The key, agent or role behind it has ended. Resume it to go on with your rights.',
};

export const ITEM_WORDS: Readonly<Record<FeedItem['status'], string>> = {
  passed:
    'Left out, because it was there before the feed was given its address, or may have gone out before a backup was restored.',
  created: 'Became posts.',
  failed: 'Became no post.',
};

const SOON_MS = 60_000;
const OFTEN_MS = 2_000;
const RARELY_MS = 30_000;

/** No event reports polls, so feeds are asked for: often while a poll is near or may still run, else rarely. */
export function readFeedsAgainMs(feeds: readonly Pick<Feed, 'nextPollAt' | 'lastPolledAt'>[]): number {
  const now = Date.now();
  const isNear = ({ nextPollAt, lastPolledAt }: Pick<Feed, 'nextPollAt' | 'lastPolledAt'>) =>
    (nextPollAt !== null && Date.parse(nextPollAt) < now + SOON_MS) ||
    (lastPolledAt !== null && Date.parse(lastPolledAt) > now - SOON_MS);
  return feeds.some(isNear) ? OFTEN_MS : RARELY_MS;
}
