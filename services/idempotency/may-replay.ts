/**
 * Decides whether a caller may receive the answer of an earlier request with the same Idempotency-Key
 * (docs/contract/posts.md#idempotency-across-keys, decision 0067).
 */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { reachablePosts } from '../posts/reachable-posts.ts';

/** The earlier request and the posts in its answer. */
export interface EarlierRequest {
  /** Mode and profile of its caller; mode is null for records stored before callers were recorded. */
  readonly mode: 'live' | 'test' | null;
  readonly profileId: string | null;
  /** Posts in its answer, including those that are still being sent. */
  readonly postIds: readonly string[];
}

/**
 * True when the caller has the mode of the earlier one and reaches every post of the answer. An answer without posts is
 * available to the whole account and to the profile that it was made for.
 */
export async function mayReplay(context: Context, caller: Caller, earlier: EarlierRequest): Promise<boolean> {
  if (earlier.mode !== null && earlier.mode !== caller.mode) return false;
  const { condition, parameters } = reachablePosts(caller);
  const inMode = earlier.mode === null ? ` and mode = $${parameters.push(caller.mode)}` : '';
  const sql = `
    select count(*)::int as found, (count(*) filter (where ${condition}${inMode}))::int as reached
    from posts where id = any($${parameters.push(earlier.postIds)}::uuid[])`;
  const [row] = await query<{ found: number; reached: number }>(context.db.em(), sql, parameters);
  const { found, reached } = row ?? { found: 0, reached: 0 };
  if (reached < found) return false;
  // A deleted draft has no row, so the remaining answer may contain no post.
  return found > 0 || caller.profileId === null || caller.profileId === earlier.profileId;
}
