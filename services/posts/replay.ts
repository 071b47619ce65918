/**
 * Replays the answer of an earlier request with the same Idempotency-Key (docs/contract/posts.md#idempotency,
 * docs/contract/posts.md#idempotency-across-keys,
 * docs/decisions/0061-replay-an-idempotent-response-only-to-callers-with-access.md). If that request died part-way, its answer is built
 * from the outcome of its posts, and nothing is sent a second time.
 */
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { complete, findRequest, type KeyedRequest, type StoredRequest } from '../idempotency/idempotency.ts';
import type { Caller } from '../access/caller.ts';
import { type KeptResult, type PostResult, resultInOrder, storedResult } from './post-result.ts';
import { POST, type PostRow } from './post-view.ts';
import { reach } from './reachable-posts.ts';

type EarlierRequest = StoredRequest<KeptResult>;

/**
 * The stored answer, or null for the first request with this key.
 *
 * @throws ServiceError idempotency_key_conflict for another body or operation, for an answer that the caller does not
 *   reach, or while the first request runs; only the last can be retried
 *   (docs/contract/errors-and-limits.md#retryable-errors)
 */
export async function replay(context: Context, caller: Caller, request: KeyedRequest): Promise<PostResult[] | null> {
  const earlier = await findRequest<KeptResult>(context, caller, request.key);
  if (earlier === undefined) return null;
  if (!(await mayReplay(context, caller, earlier))) throw usedElsewhere(request.key);
  if (earlier.operation !== request.operation || earlier.body_hash !== request.hash) {
    throw new ServiceError(
      'idempotency_key_conflict',
      `The Idempotency-Key "${request.key}" was used before with another body or on another endpoint; use a new key for a new request.`,
      { retryable: false },
    );
  }
  if (earlier.completed_at !== null) return (earlier.response.results as PostResult[]).map(resultInOrder);
  return finish(context, earlier, request.key);
}

/**
 * True when the caller has the mode of the earlier one and reaches every post of the answer. An answer without posts is
 * available to the whole account and to the profile that it was made for.
 */
async function mayReplay(context: Context, caller: Caller, earlier: EarlierRequest): Promise<boolean> {
  if (earlier.mode !== null && earlier.mode !== caller.mode) return false;
  const { results } = earlier.response;
  const postIds = results.flatMap((result) => ('pending' in result ? result.pending : (result.postId ?? [])));
  const posts = await findPosts(context, postIds);
  const wanted = Object.entries({ ...reach(caller), ...(earlier.mode === null && { mode: caller.mode }) });
  if (posts.some((post) => wanted.some(([name, value]) => post[name as keyof PostRow] !== value))) return false;
  // A deleted draft has no row, so the remaining answer may contain no post.
  return posts.length > 0 || caller.profileId === null || caller.profileId === earlier.profile_id;
}

async function findPosts(context: Context, ids: readonly string[]): Promise<PostRow[]> {
  if (ids.length === 0) return [];
  return tables(context.db.queries).selectFrom('posts').select(POST.list).where('id', 'in', ids).execute();
}

/** The same error for every body, so that it reveals nothing of the other request except that it exists. */
function usedElsewhere(key: string): ServiceError {
  const message = `Another API key or agent of this account used the Idempotency-Key "${key}" for posts that yours does not reach; use a new key.`;
  return new ServiceError('idempotency_key_conflict', message, { retryable: false });
}

/** Builds the answer from the outcome of the posts, once none of them is being sent. */
async function finish(
  context: Context,
  { id: recordId, response }: EarlierRequest,
  key: string,
): Promise<PostResult[]> {
  const pending = response.results.flatMap((result) => ('pending' in result ? [result.pending] : []));
  const rows = await findPosts(context, pending);
  const results = response.results.map((result) => {
    if (!('pending' in result)) return resultInOrder(result);
    const row = rows.find(({ id }) => id === result.pending);
    return row === undefined ? null : storedResult(row);
  });
  if (results.includes(null)) {
    throw new ServiceError(
      'idempotency_key_conflict',
      `The first request with the Idempotency-Key "${key}" is still running; send it again in a few seconds for its answer.`,
      { retryable: true },
    );
  }
  await complete(context, recordId, results);
  return results as PostResult[];
}
