/**
 * Stores the posts of a request once, sends the claimed ones concurrently, and completes the record of the request's
 * Idempotency-Key (docs/contract/posts.md#immediate-posts).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Context } from '../context.ts';
import { complete, type KeyedRequest, storeOnce } from '../idempotency/idempotency.ts';
import type { Caller } from '../access/caller.ts';
import type { ClaimedSend } from '../sending/claimed-send.ts';
import { claiming } from '../sending/end-claim.ts';
import type { WithSender } from '../sending/post-sender.ts';
import { type KeptResult, outcomeResult, type PostResult } from './post-result.ts';

/** What the posts of a request are stored with. */
export interface StoringRequest {
  /** The record of its Idempotency-Key; null without one. */
  readonly recordId: string | null;
  /** The claim of the posts that are sent now. */
  readonly claim: string;
}

/** A post when its transaction ends: its result, or the send that was claimed in it. */
export type StoredResult = PostResult | ClaimedSend;

/** Whether there is a post: what was refused has none. */
export function isStored(result: StoredResult): boolean {
  return 'claim' in result || result.postId !== null;
}

/**
 * @param store stores the posts and gives what each slug has then; without a key it gets no transaction
 * @param onResult receives each result as soon as it is final
 * @returns the results; null when another request with the key committed first, and then nothing is stored
 */
export async function storeAndSend(
  context: Context & WithSender,
  caller: Caller,
  keyed: KeyedRequest | null,
  store: (em: SqlEntityManager, storing: StoringRequest) => Promise<readonly StoredResult[]>,
  onResult: (result: PostResult, total: number) => void = () => undefined,
): Promise<PostResult[] | null> {
  const claim = context.random.uuid();
  const storeClaimed = (em: SqlEntityManager, recordId: string | null) => store(em, { recordId, claim });
  const stored = await claiming(context, claim, () => storeOnce(context, caller, keyed, storeClaimed, keptResult));
  if (stored === null) return null;
  const { items, recordId } = stored;
  context.tracer.annotate({ 'carillon.post.ids': items.flatMap(postIdOf) });
  const results = await Promise.all(
    items.map(async (item) => {
      const result = 'claim' in item ? outcomeResult(item.post, await context.sends.send(item)) : item;
      onResult(result, items.length);
      return result;
    }),
  );
  if (recordId !== null) await complete(context, recordId, results);
  return results;
}

function postIdOf(item: StoredResult): string[] {
  if ('claim' in item) return [item.post.id];
  return item.postId === null ? [] : [item.postId];
}

function keptResult(item: StoredResult): KeptResult {
  return 'claim' in item ? { pending: item.post.id } : item;
}
