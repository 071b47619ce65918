/** Claims one post that its owner sends now: a draft, or a failed post on retry. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { DECIDED_REWRITE } from '../polish/rewrite-wanted.ts';
import { CLAIMED, type ClaimedRow, openSends } from './claimed-row.ts';
import type { ClaimedSend } from './claimed-send.ts';
import { leaseFrom } from './send-times.ts';

const CLAIM_ONE = `
  update posts p set status = 'processing', claim = $3, claimed_until = $4, scheduled_for = null, queued = false,
    slot_at = null, fee_cents = $6, generation = p.generation + $5, tries = p.tries + 1, repeats = 0,
    first_due_at = null, error_code = null, error_message = null,
    ai_rewrite_status = ${DECIDED_REWRITE}
  from connections c
  where p.id = $1 and p.status = $2 and c.id = p.connection_id and c.deleted_at is null
  returning ${CLAIMED}`;

interface OneToClaim {
  readonly postId: string;
  /** Required state of the post; a failed post starts its next send, with new ledger rows. */
  readonly from: 'draft' | 'failed';
  /** The fee for sending it. */
  readonly feeCents: number;
}

/**
 * Claims in the caller's transaction.
 *
 * @returns null when the post is in another state, or its connection is gone
 */
export async function claimOne(
  context: Context,
  em: SqlEntityManager,
  { postId, from, feeCents }: OneToClaim,
): Promise<ClaimedSend | null> {
  const now = context.clock.now();
  const claim = context.random.uuid();
  const parameters = [postId, from, claim, leaseFrom(now), from === 'failed' ? 1 : 0, feeCents];
  const rows = await query<ClaimedRow>(em, CLAIM_ONE, parameters);
  const [send] = await openSends(context, em, rows, claim);
  return send ?? null;
}
