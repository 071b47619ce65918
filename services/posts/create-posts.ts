/**
 * Publishes one text to several connections: immediately, at a time, into their queues, or as drafts. Posts that fail
 * validation are not stored. The others are stored together with the idempotency record. Immediate posts are sent
 * concurrently, and the request returns when their platforms have answered (docs/contract/posts.md#immediate-posts).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { KeyedRequest } from '../idempotency/idempotency.ts';
import type { Caller } from '../access/caller.ts';
import type { WithSender } from '../sending/post-sender.ts';
import type { WithTargetLookups } from '../connections/resolve-slugs.ts';
import type { WithPostInserts } from './store-posts.ts';
import { admitAndStorePosts } from './admit-and-store-posts.ts';
import { checkInput, type CheckedSlug, checkSlugs, type CreatePostsInput } from './check-slugs.ts';
import type { PostResult } from './post-result.ts';
import { replay } from './replay.ts';
import { storeAndSend, type StoredResult, type StoringRequest } from './store-and-send.ts';

/** Results in the order of the slugs, with the platform of each; null when a slug matches no connection. */
export interface CreatedPosts {
  readonly results: readonly PostResult[];
  readonly platformIds: readonly (string | null)[];
  /** True when this is the stored answer of an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
}

/** What requests that create posts share in a process. */
export interface WithCreations extends WithSender, WithTargetLookups, WithPostInserts {}

/** What happens besides, while posts are created. */
export interface Creation {
  /** Receives each result as soon as it is final; not called for a replay. */
  readonly onResult?: ((result: PostResult, total: number) => void) | undefined;
  /** Runs in the transaction that stores the posts; needs a key. What it throws undoes everything. */
  readonly whenStored?: (em: SqlEntityManager, stored: readonly StoredResult[]) => Promise<void>;
}

/**
 * @param keyed present when the request has an Idempotency-Key
 * @throws ServiceError invalid_request (time, conflicts), invalid_media, invalid_connection (no slug matches),
 *   idempotency_key_conflict
 */
export async function createPosts(
  context: Context & WithCreations,
  caller: Caller,
  input: CreatePostsInput,
  keyed: KeyedRequest | null = null,
  creation: Creation = {},
): Promise<CreatedPosts> {
  const earlier = keyed === null ? null : await replay(context, caller, keyed);
  if (earlier !== null) return { results: earlier, platformIds: earlier.map(() => null), replayed: true };
  const checked = await checkInput(context, caller, input);
  const slugs = await checkSlugs(context, caller, checked);
  refuseUnlessOneMatches(slugs);
  const store = async (em: SqlEntityManager, storing: StoringRequest) => {
    const stored = await admitAndStorePosts(context, em, caller, { checked, slugs, ...storing });
    await creation.whenStored?.(em, stored);
    return stored;
  };
  const results = await storeAndSend(context, caller, keyed, store, creation.onResult);
  // Another request with the same key committed first, and may have taken what this one needs; replay its answer.
  if (results === null) return createPosts(context, caller, input, keyed, creation);
  return { results, platformIds: slugs.map(({ target }) => target?.platformId ?? null), replayed: false };
}

function refuseUnlessOneMatches(slugs: readonly CheckedSlug[]): void {
  if (slugs.some(({ target }) => target !== null)) return;
  const reasons = slugs.map(({ error }) => error?.message ?? '').slice(0, 5);
  throw new ServiceError('invalid_connection', reasons.join(' '));
}
