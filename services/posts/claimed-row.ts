/** The columns that a send needs, and the claimed send built from them. */
import type { RewriteStatus } from '../../entities/post.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import { connectionLogin, type LoginRow } from '../connections/connection-login.ts';
import type { Context } from '../context.ts';
import type { PlanTermsRow } from '../plans/plan-terms.ts';
import type { ClaimedSend, OpenAttempt } from './claimed-send.ts';
import { tokenFor } from './ledger.ts';

export interface ClaimedRow extends LoginRow {
  id: string;
  account_id: string;
  profile_id: string | null;
  connection_id: string;
  connection_slug: string;
  platform_id: string;
  mode: 'live' | 'test';
  text: string;
  thread: string[];
  first_comment: string | null;
  ai_rewrite_status: RewriteStatus | null;
  media_count: number;
  generation: number;
  repeats: number;
  first_due_at: string | null;
  fee_cents: number;
  tags: string[];
  scheduled_for: string | null;
  created_at: string;
}

/** Columns of a {@link ClaimedRow}, of `posts p` and `connections c`. */
export const CLAIMED = `p.id, p.account_id, p.profile_id, p.connection_id, p.connection_slug, p.platform_id, p.mode, p.text,
  p.thread, p.first_comment, p.ai_rewrite_status, p.generation, p.repeats, p.first_due_at, p.fee_cents, p.tags,
  (select count(*)::int from post_media m where m.post_id = p.id) as media_count, p.scheduled_for, p.created_at,
  c.platform_account_id, c.handle, c.credentials`;

/** A post that can be claimed, with the plan of its account. */
export type ClaimableRow = ClaimedRow & PlanTermsRow;

const OPEN_ATTEMPTS = `
  insert into attempts (id, post_id, generation, step, index, state, token, started_at)
  select i.id, i."postId", i.generation, 'head', 0, 'sending', i.token, $2
  from jsonb_to_recordset($1::jsonb) as i(id uuid, "postId" uuid, generation int, token text)`;

/** Builds sends from rows that were just claimed, and inserts the ledger row of each in the same transaction. */
export async function openSends(
  context: Context,
  em: SqlEntityManager,
  rows: readonly ClaimedRow[],
  claim: string,
): Promise<ClaimedSend[]> {
  if (rows.length === 0) return [];
  const now = context.clock.now();
  const sends = rows.map((row) => claimedSend(row, claim, newAttempt(context, row, now), false));
  const attempts = sends.map(({ post, attempt }) => ({ ...attempt, postId: post.id, generation: post.generation }));
  await query(em, OPEN_ATTEMPTS, [JSON.stringify(attempts), now]);
  return sends;
}

function newAttempt(context: Context, row: ClaimedRow, now: Date): OpenAttempt {
  const id = context.random.uuid();
  const token = tokenFor(context, row.platform_id, now, id);
  return { id, step: 'head', index: 0, token, startedAt: now, prepared: null };
}

export function claimedSend(
  row: ClaimedRow,
  claim: string,
  attempt: OpenAttempt | null,
  interrupted: boolean,
): ClaimedSend {
  return {
    post: {
      id: row.id,
      accountId: row.account_id,
      profileId: row.profile_id,
      connectionSlug: row.connection_slug,
      platformId: row.platform_id,
      mode: row.mode,
      text: row.text,
      thread: row.thread,
      firstComment: row.first_comment,
      rewriteStatus: row.ai_rewrite_status,
      mediaCount: row.media_count,
      generation: row.generation,
      repeats: row.repeats,
      firstDueAt: row.first_due_at === null ? null : new Date(row.first_due_at),
      feeCents: row.fee_cents,
      tags: row.tags,
      scheduledFor: row.scheduled_for === null ? null : new Date(row.scheduled_for),
      createdAt: new Date(row.created_at),
    },
    connection: connectionLogin(row.connection_id, row),
    claim,
    attempt,
    interrupted,
  };
}
