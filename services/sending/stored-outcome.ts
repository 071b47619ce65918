/** The outcome that a process has stored which took a send over. */
import { storedError } from '../../errors/item-error.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import type { SettledSend } from './post-sender.ts';

/** Milliseconds of real time between two looks at a post that another process sends. */
const POLL_INTERVAL_MS = 100;

/**
 * Waits while another process sends the post.
 *
 * @param forMs most milliseconds of real time between the first look and the last, besides those that the looks take
 * @returns as {@link storedOutcome}
 */
export async function awaitOutcome(context: Context, postId: string, forMs: number): Promise<SettledSend | null> {
  for (let waitedMs = 0; waitedMs < forMs && (await isInProgress(context, postId)); waitedMs += POLL_INTERVAL_MS) {
    await context.clock.sleep(POLL_INTERVAL_MS);
  }
  return storedOutcome(context, postId);
}

async function isInProgress(context: Context, postId: string): Promise<boolean> {
  const found = tables(context.db.queries)
    .selectFrom('posts')
    .select('id')
    .where('id', '=', postId)
    .where('status', '=', 'processing');
  return (await found.executeTakeFirst()) !== undefined;
}

/** @returns null when the post has no outcome: it is still being sent, or waits to be sent again */
export async function storedOutcome(context: Context, postId: string): Promise<SettledSend | null> {
  const row = await tables(context.db.queries)
    .selectFrom('posts')
    .select(['status', 'url', 'platform_post_id', 'thread_count', 'has_first_comment', 'rewrite_warning'])
    .select(['error_code', 'error_message'])
    .where('id', '=', postId)
    .where('status', 'in', ['sent', 'failed', 'deleted'])
    .executeTakeFirst();
  if (row === undefined) return null;
  const { platform_post_id: platformPostId, url } = row;
  return {
    head: platformPostId === null ? null : { platformPostId, url },
    error: storedError(row),
    threadCount: row.thread_count,
    hasFirstComment: row.has_first_comment,
    last: null,
    rewriteWarning: row.rewrite_warning,
  };
}
