/**
 * Publishes one text to several connections: immediately, at a time, into their queues, or as drafts. Posts that fail
 * validation are not stored. The others are stored together with the idempotency record. Immediate posts are sent
 * concurrently, and the request returns when their platforms have answered (docs/contract/posts.md#immediate-posts).
 */
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { complete, type KeyedRequest, replay, storeOnce } from '../idempotency/idempotency.ts';
import type { Caller } from '../keys/caller.ts';
import { checkInput, type CheckedSlug, checkSlugs, type CreatePostsInput } from './check-slugs.ts';
import { admitAndStorePosts } from './admit-and-store-posts.ts';
import { outcomeResult, type PostResult } from './post-result.ts';
import type { StoredPost } from './store-posts.ts';

/** Results in the order of the slugs, with the platform of each; null when a slug matches no connection. */
export interface CreatedPosts {
  readonly results: readonly PostResult[];
  readonly platformIds: readonly (string | null)[];
  /** True when this is the stored answer of an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
}

/**
 * @param keyed present when the request has an Idempotency-Key
 * @param onResult receives each result as soon as it is final; not called for a replay
 * @throws ServiceError invalid_request (time, conflicts), invalid_media, invalid_connection (no slug matches),
 *   idempotency_key_conflict
 */
export async function createPosts(
  context: Context,
  caller: Caller,
  input: CreatePostsInput,
  keyed: KeyedRequest | null = null,
  onResult: (result: PostResult, total: number) => void = () => undefined,
): Promise<CreatedPosts> {
  const earlier = keyed === null ? null : await replay(context, caller, keyed);
  if (earlier !== null) return { results: earlier, platformIds: earlier.map(() => null), replayed: true };
  const checked = await checkInput(context, caller, input);
  const slugs = await checkSlugs(context, caller, checked);
  refuseUnlessOneMatches(slugs);
  const platformIds = slugs.map(({ target }) => target?.platformId ?? null);
  const recordId = keyed === null ? null : context.random.uuid();
  let stored: readonly StoredPost[] = [];
  const kept = await storeOnce(context, caller, keyed, recordId, async (em) => {
    const placed = await admitAndStorePosts(context, em, caller, checked, slugs, recordId);
    ({ stored } = placed);
    return placed.kept;
  });
  // Another request with the same key committed first; replay its answer.
  if (kept === null) return createPosts(context, caller, input, keyed, onResult);
  const results = await Promise.all(
    kept.map(async (result, index) => {
      const final =
        'pending' in result ? await sendNow(context, slugs[index]?.slug ?? '', stored, result.pending) : result;
      onResult(final, kept.length);
      return final;
    }),
  );
  if (recordId !== null) await complete(context, recordId, results);
  return { results, platformIds, replayed: false };
}

function refuseUnlessOneMatches(slugs: readonly CheckedSlug[]): void {
  if (slugs.some(({ target }) => target !== null)) return;
  const reasons = slugs.map(({ error }) => error?.message ?? '').slice(0, 5);
  throw new ServiceError('invalid_connection', reasons.join(' '));
}

async function sendNow(
  context: Context,
  slug: string,
  stored: readonly StoredPost[],
  postId: string,
): Promise<PostResult> {
  const claimed = stored.find(({ id }) => id === postId)?.claimed ?? null;
  if (claimed === null) throw new Error(`post ${postId} was not claimed`);
  return outcomeResult(slug, postId, await context.sends.send(claimed));
}
