/** The outcome of a send: the published parts, or the error. */
import type { Published } from '../../platforms/contract.ts';
import type { SendablePost } from './claimed-send.ts';
import { countsOf } from './post-parts.ts';
import type { PartError, PartOutcome } from './send-part.ts';

/** The outcome of a send, and the ledger row that is closed in the same statement. */
export interface SendOutcome {
  /** Null when the post failed. */
  readonly head: Published | null;
  /** The error when it failed; null when it was sent. */
  readonly error: PartError | null;
  /** Number of published replies. */
  readonly threadCount: number;
  readonly hasFirstComment: boolean;
  /** How many milliseconds the platform asked us to back off on this connection; null or absent when it did not. */
  readonly retryAfterMs?: number | null;
  /** Why the connection must be reconnected; null or absent when it need not be. */
  readonly reconnectReason?: string | null;
  /** The row that is still open, and its outcome; null when all rows are closed. */
  readonly last: { readonly attemptId: string; readonly outcome: PartOutcome } | null;
}

/** @param up published parts, in order */
export function sent(post: SendablePost, up: readonly Published[], last: SendOutcome['last']): SendOutcome {
  const counts = countsOf(post, up.length);
  return { head: up[0] ?? null, error: null, ...counts, retryAfterMs: retryAfterOf(last), last };
}

/** For a post without any part known to be published. */
export function failed(error: PartError, last: SendOutcome['last']): SendOutcome {
  const nothing = { head: null, threadCount: 0, hasFirstComment: false };
  return { ...nothing, error, retryAfterMs: retryAfterOf(last), reconnectReason: reconnectReasonOf(error), last };
}

function retryAfterOf(last: SendOutcome['last']): number | null {
  return last === null || last.outcome.state === 'accepted' ? null : (last.outcome.retryAfterMs ?? null);
}

/** Why the connection must be reconnected, if the error says so. */
export function reconnectReasonOf(error: PartError | null): string | null {
  return error?.code === 'reconnect_required' ? error.message : null;
}
