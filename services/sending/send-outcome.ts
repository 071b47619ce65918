/** The outcome of a send: the published parts, or the error. */
import type { ItemError } from '../../errors/item-error.ts';
import type { Published } from '../../platforms/contract.ts';
import type { ClaimedSend, SendablePost } from './claimed-send.ts';
import type { LedgerRow } from './ledger.ts';
import { countsOf } from './post-parts.ts';
import type { PartOutcome } from './send-part.ts';

/** The outcome of a send, and the ledger row that is closed in the same statement. */
export interface SendOutcome {
  /** Null when the post failed. */
  readonly head: Published | null;
  /** The error when it failed; null when it was sent. */
  readonly error: ItemError | null;
  /** Number of published replies. */
  readonly threadCount: number;
  readonly hasFirstComment: boolean;
  /** How many milliseconds the platform asked us to back off on this connection; null or absent when it did not. */
  readonly retryAfterMs?: number | null;
  /** The credential that the platform refused; null or absent when it refused none, or when that is stored already. */
  readonly refused?: RefusedCredential | null;
  /** The credential, encrypted, that the platform accepted a part with in this process; null or absent for none. */
  readonly accepted?: string | null;
  /** The row that is still open, and its outcome; null when all rows are closed. */
  readonly last: { readonly attemptId: string; readonly outcome: PartOutcome } | null;
}

/** A credential with which a platform accepts nothing more. */
export interface RefusedCredential {
  /** Encrypted, as the connection held it at the time of the call. */
  readonly credential: string;
  readonly reason: string;
}

/** @param up published parts, in order */
export function sent(post: SendablePost, up: readonly Published[], last: SendOutcome['last']): SendOutcome {
  const counts = countsOf(post, up.length);
  return { head: up[0] ?? null, error: null, ...counts, retryAfterMs: retryAfterOf(last), last };
}

/** For a post without any part known to be published. */
export function failed(error: ItemError, last: SendOutcome['last']): SendOutcome {
  const nothing = { head: null, threadCount: 0, hasFirstComment: false };
  return { ...nothing, error, retryAfterMs: retryAfterOf(last), last };
}

function retryAfterOf(last: SendOutcome['last']): number | null {
  return last === null || last.outcome.state === 'accepted' ? null : (last.outcome.retryAfterMs ?? null);
}

/**
 * The credential that the latest call of a send was refused for, if its error says so. An error that an earlier process
 * stored says nothing about the credential of this one.
 */
export function refusedCredential({ connection }: ClaimedSend, error: ItemError | null): RefusedCredential | null {
  if (error?.code !== 'reconnect_required' || connection.lastUsed === null) return null;
  return { credential: connection.lastUsed, reason: error.message };
}

/** Number of leading characters that identify a reply in an error message. */
const REPLY_START = 60;

/** The row of the part that was not accepted; undefined when there is none. */
export function refusedRow(closed: readonly LedgerRow[]): LedgerRow | undefined {
  return closed.find(({ step, state }) => step !== 'delete' && state !== 'accepted');
}

/**
 * The error of a post with a refused part. It names a reply that may be published, because a person has to check it.
 */
export function refusedError(
  { post }: ClaimedSend,
  { step, index, state, error }: Pick<LedgerRow, 'step' | 'index' | 'state' | 'error'>,
): ItemError {
  const fallback = { code: 'platform_rejected' as const, message: 'The platform refused a part of the post.' };
  if (step !== 'reply' || state !== 'unknown') return error ?? fallback;
  const text = post.thread[index] ?? '';
  const start = text.length > REPLY_START ? `${text.slice(0, REPLY_START).toWellFormed()}…` : text;
  return {
    code: 'outcome_unknown',
    message: `Reply ${index + 1} of ${post.thread.length} ("${start}") may be up: its answer was lost, and the platform cannot say. The other parts were deleted. Look for this reply on the platform before sending the post again.`,
  };
}
