/** The part of a post that was not accepted, and the error of the post that follows from it. Pure. */
import type { ClaimedSend } from './claimed-send.ts';
import type { LedgerRow } from './ledger.ts';
import type { PartError } from './send-part.ts';

/** Characters of a reply by which its message tells which one it is. */
const REPLY_START = 60;

/** The row of the part that was not accepted; undefined when there is none. */
export function refusedRow(closed: readonly LedgerRow[]): LedgerRow | undefined {
  return closed.find(({ step, state }) => step !== 'delete' && state !== 'accepted');
}

/** The error of a post whose part was refused. A reply that may be up is named, because a person has to look for it. */
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
