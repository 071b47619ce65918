/** The outcome that a process has stored which took a send over. */
import { storedError } from '../../errors/item-error.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import type { SettledSend } from './post-sender.ts';

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
