/** Reads a feed once and says what its newest item would become. Nothing is stored (docs/contract/feeds.md#preview). */
import type { Context } from '../context.ts';
import { timestampOrNull } from '../timestamp.ts';
import { requireFeedAddress } from './feed-address.ts';
import { fetchFeed, NOTHING_READ } from './fetch-feed.ts';
import { fillTemplate } from './template.ts';

export interface FeedPreview {
  /** Why the feed could not be read, in a sentence; null when it was. */
  readonly problem: string | null;
  /** Number of items that were read. */
  readonly items: number;
  readonly newest: {
    readonly title: string;
    readonly link: string | null;
    readonly summary: string;
    readonly publishedAt: string | null;
    /** Text of the post. */
    readonly text: string;
  } | null;
}

/** @throws ServiceError invalid_request for what is no address */
export async function previewFeed(context: Context, url: string, template: string): Promise<FeedPreview> {
  requireFeedAddress(url);
  const answer = await fetchFeed(context, url, { etag: null, lastModified: null });
  if (answer.kind !== 'items') return { problem: problemOf(answer), items: 0, newest: null };
  const { items } = answer;
  // Feeds begin with the newest item, and the dates of some are wrong.
  const [item] = items;
  if (item === undefined) return { problem: null, items: 0, newest: null };
  const { title, link, summary, publishedAt } = item;
  const text = fillTemplate(template, item);
  const newest = { title, link, summary, publishedAt: timestampOrNull(publishedAt), text };
  return { problem: null, items: items.length, newest };
}

function problemOf(answer: Exclude<Awaited<ReturnType<typeof fetchFeed>>, { kind: 'items' }>): string {
  if (answer.kind === 'failed') return answer.why;
  return answer.kind === 'gone' ? 'The server says that the feed is gone (HTTP 410).' : NOTHING_READ;
}
