/**
 * feeds: polls RSS and Atom feeds and makes posts of new items. Safe to run in parallel: a claim moves the next poll on, and
 * an item is stored under a unique key in the transaction of its posts.
 */
import { nextPollAt, pollFeeds } from '../services/feeds/poll-feeds.ts';
import type { Loop } from './loop.ts';

export const feeds: Loop = {
  name: 'feeds',
  newWorkWithinMs: 1_000,
  run: pollFeeds,
  nextDueAt: nextPollAt,
};
