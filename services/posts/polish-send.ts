/**
 * Rewrites the text of a claimed post if the claim says so. The final text is committed before the platform is called,
 * so that a recovery and every lookup of a lost answer use the same text. Until that commit, no platform has been
 * called.
 */
import { query } from '../../entities/query.ts';
import type { ConnectionLimits } from '../../platforms/contract.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import { rewriteText } from '../polish/rewrite-text.ts';
import type { ClaimedSend } from './claimed-send.ts';
import { ClaimLost } from './ledger.ts';
import { leaseFrom } from './send-times.ts';

export interface PolishedSend {
  readonly claimed: ClaimedSend;
  /** Why the original is sent although a rewrite was requested; null otherwise. */
  readonly rewriteWarning: string | null;
}

const LIMITS = 'select limits from connections where id = $1';

// Renews the lease, because the platform is called only after the model has answered.
const KEEP = `
  with held as (
    update posts set text = $4, ai_rewrite_status = $5, rewrite_warning = $6, claimed_until = $7
    where id = $1 and claim = $2 and status = 'processing' and ai_rewrite_status = 'pending' returning id
  ), worded as (
    update post_words w set words = w.words || to_tsvector('simple', $4::text) from held where w.post_id = held.id
  ), begun as (
    update attempts a set started_at = $8 from held where a.post_id = held.id and a.id = $3
  )
  select id from held`;

/** @throws ClaimLost when another worker has taken the send over meanwhile */
export async function polishSend(context: Context, claimed: ClaimedSend): Promise<PolishedSend> {
  const { post, connection, attempt } = claimed;
  if (post.rewriteStatus !== 'pending') return { claimed, rewriteWarning: null };
  const [row] = await query<{ limits: ConnectionLimits | null }>(context.db.em(), LIMITS, [connection.id]);
  const platform = platformOf(context.platforms, post.platformId);
  const rewrite = await rewriteText(context, {
    postId: post.id,
    text: post.text,
    platform,
    limits: row?.limits ?? null,
  });
  const { text, status, warning } = rewrite;
  const startedAt = context.clock.now();
  const parameters = [post.id, claimed.claim, attempt?.id, text, status, warning, leaseFrom(startedAt), startedAt];
  const kept = await query(context.db.em(), KEEP, parameters);
  if (kept.length === 0) throw new ClaimLost(`the claim on post ${post.id} was lost`);
  return {
    claimed: {
      ...claimed,
      post: { ...post, text, rewriteStatus: status },
      attempt: attempt && { ...attempt, startedAt },
      // The earlier process had not called the platform yet.
      interrupted: false,
    },
    rewriteWarning: warning,
  };
}
