/** The part of a post that was not accepted, and the resulting error of the post. Pure. */
import type { ClaimedSend } from './claimed-send.ts';
import type { LedgerRow } from './ledger.ts';
import type { PartError } from './send-part.ts';

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
): PartError {
  const fallback = { code: 'platform_rejected' as const, message: 'The platform refused a part of the post.' };
  if (step !== 'reply' || state !== 'unknown') return error ?? fallback;
  const text = post.thread[index] ?? '';
  const start = text.length > REPLY_START ? `${text.slice(0, REPLY_START).toWellFormed()}…` : text;
  return {
    code: 'outcome_unknown',
    message: `Reply ${index + 1} of ${post.thread.length} ("${start}") may be up: its answer was lost, and the platform cannot say. The other parts were deleted. Look for this reply on the platform before sending the post again.`,
  };
}
