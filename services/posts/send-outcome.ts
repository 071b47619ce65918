/** The outcome of a send: what is up, or why nothing is. */
import type { Published } from '../../platforms/contract.ts';
import type { SendablePost } from './claimed-send.ts';
import { countsOf } from './post-parts.ts';
import type { PartError, PartOutcome } from './send-part.ts';

/** The outcome of a send, and the ledger row that is closed together with it. */
export interface SendOutcome {
  /** Null when the post failed. */
  readonly head: Published | null;
  /** Why it failed; null when it was sent. */
  readonly error: PartError | null;
  /** Replies that are up. */
  readonly threadCount: number;
  readonly hasFirstComment: boolean;
  /** For how many milliseconds the platform asked to be left alone on this connection; null or absent when it did not. */
  readonly retryAfterMs?: number | null;
  /** Why the connection has to be connected again; null or absent when nothing said so. */
  readonly reconnectReason?: string | null;
  /** The row still open, and its outcome; null when all rows are closed. */
  readonly last: { readonly attemptId: string; readonly outcome: PartOutcome } | null;
}

/** @param up parts that are up, in order */
export function sent(post: SendablePost, up: readonly Published[], last: SendOutcome['last']): SendOutcome {
  const counts = countsOf(post, up.length);
  return { head: up[0] ?? null, error: null, ...counts, retryAfterMs: retryAfterOf(last), last };
}

/** Nothing is known to be up. */
export function failed(error: PartError, last: SendOutcome['last']): SendOutcome {
  const nothing = { head: null, threadCount: 0, hasFirstComment: false };
  return { ...nothing, error, retryAfterMs: retryAfterOf(last), reconnectReason: reconnectReasonOf(error), last };
}

function retryAfterOf(last: SendOutcome['last']): number | null {
  return last === null || last.outcome.state === 'accepted' ? null : (last.outcome.retryAfterMs ?? null);
}

/** Why the connection has to be connected again, if that is what the error says. */
export function reconnectReasonOf(error: PartError | null): string | null {
  return error?.code === 'reconnect_required' ? error.message : null;
}
