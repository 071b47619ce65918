/** Follows the event feed for a reader that stays connected: it polls until the reader leaves or may not read any more. */
import type { Context } from '../context.ts';
import { canReadFeed, FEED_PAGE, type FeedPage, type FeedPosition, type FeedReader, readFeed } from './event-feed.ts';

/** Milliseconds between two queries for new events. */
const POLL_INTERVAL_MS = 500;

/** A reader that has not read what it was sent for this many queries is disconnected: 30 seconds. */
const BLOCKED_POLLS_MAX = 60;

/** Milliseconds that a reader has to read the rest when its stream ends. */
export const CLOSE_TIMEOUT_MS = 5_000;

export interface FeedFollower {
  /** Aborts when the reader has left, or when the process stops. */
  readonly over: AbortSignal;
  /** Whether the reader has not yet read what it was sent; no page is read meanwhile. */
  isBlocked(): boolean;
  /** Receives each page, also those without events. */
  deliver(page: FeedPage): Promise<void> | void;
}

/**
 * @returns why it ended: the reader left or the process stops, its key, token or sign-in has ended, or it was blocked too
 *   long or at that end and does not read the rest
 */
export async function followFeed(
  context: Context,
  reader: FeedReader,
  position: FeedPosition,
  { over, isBlocked, deliver }: FeedFollower,
): Promise<'left' | 'ended' | 'blocked'> {
  let from = position;
  let blocked = 0;
  while (!over.aborted) {
    blocked = isBlocked() ? blocked + 1 : 0;
    if (blocked > BLOCKED_POLLS_MAX) return 'blocked';
    if (blocked > 0) {
      if (!(await canReadFeed(context, reader))) return 'blocked';
    } else {
      const page = await readFeed(context, reader, from);
      if (!page.isAllowed) return 'ended';
      from = page.position;
      await deliver(page);
      if (page.events.length === FEED_PAGE && !isBlocked()) continue;
    }
    await context.clock.sleep(POLL_INTERVAL_MS, over).catch(() => undefined);
  }
  return 'left';
}
