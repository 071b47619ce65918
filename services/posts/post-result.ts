/** The outcome of a post on one connection, as the API returns it (docs/contract/posts.md#immediate-posts). */
import { type ItemError, storedError } from '../../errors/item-error.ts';
import { approvalInOrder, type ApprovalView } from '../approvals/approval-view.ts';
import { timestampOrNull } from '../timestamp.ts';
import { storableText } from '../storable-text.ts';
import type { PostRow } from './post-view.ts';
import type { SendablePost } from '../sending/claimed-send.ts';
import type { SettledSend } from '../sending/post-sender.ts';

export interface PostResult {
  connectionSlug: string;
  status: 'sent' | 'scheduled' | 'draft' | 'failed';
  postId: string | null;
  url: string | null;
  scheduledFor: string | null;
  threadCount: number;
  hasFirstComment: boolean;
  error: ItemError | null;
  /** Present only when a requested rewrite failed and the original text was posted. */
  warning?: string;
  /** Present when the post waits for approval, or an allowance let it go out. */
  approval?: ApprovalView;
  /** Present when the error answers the whole request; never returned. */
  refusesRequest?: true;
}

/** What a request stores of a result: the result, or the id of a post that is still being sent. */
export type KeptResult = PostResult | { readonly pending: string };

/** A result of which only the post and its status are known. Its fields have the order of the contract. */
export function plainResult(connectionSlug: string, status: PostResult['status'], postId: string | null): PostResult {
  const nothingSent = { url: null, scheduledFor: null, threadCount: 0, hasFirstComment: false, error: null };
  return { connectionSlug, status, postId, ...nothingSent };
}

/** A result that was stored as JSON, in which PostgreSQL does not keep the order of fields. */
export function resultInOrder(result: PostResult): PostResult {
  const { connectionSlug, status, postId, approval } = result;
  return {
    ...plainResult(connectionSlug, status, postId),
    ...result,
    ...(approval !== undefined && { approval: approvalInOrder(approval) }),
  };
}

/**
 * The result of a refused post, which is not stored. The result is, if the request has a key: a slug that no connection
 * can have, and the message that quotes it, show a replacement character for what the database cannot store.
 */
export function refusedResult(connectionSlug: string, { code, message }: ItemError): PostResult {
  return { ...plainResult(storable(connectionSlug), 'failed', null), error: { code, message: storable(message) } };
}

/** Leaving NUL out, as in the texts of platforms, could make it the slug of another connection. */
function storable(text: string): string {
  return storableText(text.replaceAll('\u0000', '\ufffd'));
}

/** The result of a post after its send, successful or not. */
export function outcomeResult({ id, connectionSlug }: SendablePost, outcome: SettledSend): PostResult {
  const { error, head, threadCount, hasFirstComment, rewriteWarning } = outcome;
  return {
    ...plainResult(connectionSlug, error === null ? 'sent' : 'failed', id),
    url: head?.url ?? null,
    threadCount,
    hasFirstComment,
    ...(error === null && rewriteWarning !== null && { warning: rewriteWarning }),
    error: error === null ? null : { code: error.code, message: error.message },
  };
}

/** The result of a post according to its row; null while the post is being sent. */
export function storedResult(row: PostRow): PostResult | null {
  if (row.status === 'processing') return null;
  // A post that was cancelled or deleted later was scheduled or sent when the request ended.
  const status = row.status === 'cancelled' ? 'scheduled' : row.status === 'deleted' ? 'sent' : row.status;
  const waits = status === 'scheduled';
  return {
    ...plainResult(row.connection_slug, status, row.id),
    url: waits ? null : row.url,
    scheduledFor: waits ? timestampOrNull(row.scheduled_for) : null,
    threadCount: row.thread_count,
    hasFirstComment: row.has_first_comment,
    ...(status === 'sent' && row.rewrite_warning !== null && { warning: row.rewrite_warning }),
    error: storedError(row),
  };
}
