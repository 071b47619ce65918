/** Reads the send ledger of a post, oldest attempt first (docs/contract/connections.md#linking-with-credentials). */
import type { AttemptState, AttemptStep } from '../../entities/attempt.ts';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { pageOf } from '../paging.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';
import { findPost } from './find-post.ts';

export interface AttemptView {
  id: string;
  step: AttemptStep;
  index: number;
  state: AttemptState;
  startedAt: string;
  settledAt: string | null;
  platformPostId: string | null;
  error: { code: string; message: string } | null;
}

interface AttemptRow {
  id: string;
  step: AttemptStep;
  index: number;
  state: AttemptState;
  started_at: string;
  settled_at: string | null;
  platform_post_id: string | null;
  error_code: string | null;
  error_message: string | null;
}

/** One page of a ledger. */
export interface AttemptPage {
  /** 1 to 100. */
  readonly limit: number;
  /** Id of an attempt: the page starts with the attempts newer than it. */
  readonly cursor?: string | undefined;
}

/** @throws ServiceError not_found for an unknown or foreign post. */
export async function listAttempts(
  context: Context,
  caller: Caller,
  postId: string,
  { limit, cursor }: AttemptPage,
): Promise<{ attempts: AttemptView[]; nextCursor: string | null }> {
  const post = await findPost(context, caller, postId);
  const sql = `select id, step, index, state, started_at, settled_at, platform_post_id, error_code, error_message
    from attempts where post_id = $1 and ($3::uuid is null or id > $3) order by id limit $2`;
  const rows = await query<AttemptRow>(context.db.em(), sql, [post.id, limit + 1, cursor ?? null]);
  const { items, nextCursor } = pageOf(rows, limit);
  return { attempts: items.map(attemptView), nextCursor };
}

function attemptView(row: AttemptRow): AttemptView {
  return {
    id: row.id,
    step: row.step,
    index: row.index,
    state: row.state,
    startedAt: timestamp(row.started_at),
    settledAt: timestampOrNull(row.settled_at),
    platformPostId: row.platform_post_id,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
  };
}
