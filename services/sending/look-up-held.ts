/** Settles a post that is held after a restore by looking on its platform (docs/operations.md#restoring). */
import type { Context } from '../context.ts';
import type { ClaimedSend, OpenAttempt } from './claimed-send.ts';
import { type LedgerRow, publishedParts } from './ledger.ts';
import { partsOf } from './post-parts.ts';
import { failed, refusedError, refusedRow, sent, type SendOutcome } from './send-outcome.ts';
import { look, type PartSend } from './send-part.ts';

/**
 * Publishes nothing. What is found on the platform counts. A post that is not found may still be there, because the backup
 * does not hold the token that it was sent with.
 *
 * @param attempt the row that is looked up; null when the backup has none that may have been called
 */
export async function lookUpHeld(
  context: Context,
  { claimed, account }: { readonly claimed: ClaimedSend; readonly account: Omit<PartSend, 'part'> },
  closed: readonly LedgerRow[],
  attempt: OpenAttempt | null,
): Promise<SendOutcome> {
  const { post } = claimed;
  // A rollback that was in progress, or over, may have deleted parts.
  const up = publishedParts(closed).map(({ published }) => published);
  const refused = refusedRow(closed);
  if (up.length > 0 || refused === undefined) return sent(post, up, null);
  const notFound = failed(refusedError(claimed, refused), null);
  const [part, ...others] = partsOf(post);
  if (part === undefined || others.length > 0 || attempt === null) return notFound;
  const { id: attemptId, token, startedAt, prepared } = attempt;
  const outcome = await look(context, { ...account, part: { ...part, token, startedAt, prepared } });
  if (outcome.state === 'accepted') return sent(post, [outcome.published], { attemptId, outcome });
  return outcome.state === 'absent' ? notFound : { ...notFound, retryAfterMs: outcome.retryAfterMs ?? null };
}
