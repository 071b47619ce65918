/** Deletes parts of a post on their platform, newest first, with a ledger row for each call. */
import type { ItemError } from '../../errors/item-error.ts';
import type { AnyPlatform, Published, Session } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { platformIo } from '../platform-io.ts';
import { closeRow } from './ledger.ts';
import { openRemoval } from './removal-ledger.ts';
import type { PublishedPart } from './post-parts.ts';
import { outcomeOf } from './send-part.ts';
import { SEND_TIMES } from './send-times.ts';

/** A post whose parts only this process may delete now. */
export interface ClaimedRemoval {
  readonly id: string;
  readonly generation: number;
  /** The claim on the post; each ledger row extends it, and without it nothing is deleted. */
  readonly claim: string;
}

export interface Removal {
  /** Parts that are still published, oldest first; empty when all were deleted. */
  readonly left: readonly PublishedPart[];
  /** The error of the first delete that failed; null when all parts were deleted. */
  readonly error: ItemError | null;
}

/**
 * Stops at the first part that cannot be deleted, so that no reply stays without its parent.
 *
 * @param existing the published parts, oldest first
 * @throws ClaimLost when another process has taken over
 */
export async function removeParts(
  context: Context,
  account: { readonly platform: AnyPlatform; readonly session: Session<unknown> },
  post: ClaimedRemoval,
  existing: readonly PublishedPart[],
): Promise<Removal> {
  const left = [...existing];
  for (let part = left.at(-1); part !== undefined; part = left.at(-1)) {
    const attemptId = await openRemoval(context, post, part);
    const failure = await removeTwice(context, account, part.published);
    await closeRow(context, { attemptId, claim: post.claim }, failure);
    if (failure !== null) return { left, error: failure.error };
    left.pop();
  }
  return { left, error: null };
}

type Failure = ReturnType<typeof outcomeOf>;

/**
 * After a lost answer, repeats the delete once: a delete is safe to repeat, and the repeat tells whether the part is
 * gone.
 */
async function removeTwice(
  context: Context,
  account: { readonly platform: AnyPlatform; readonly session: Session<unknown> },
  published: Published,
): Promise<Failure | null> {
  const failure = await remove(context, account, published);
  const mayBeLost = failure !== null && failure.state !== 'rejected' && failure.retryAfterMs === undefined;
  if (!mayBeLost) return failure;
  await context.clock.sleep(SEND_TIMES.secondLookAfterMs);
  return remove(context, account, published);
}

async function remove(
  context: Context,
  { platform, session }: { readonly platform: AnyPlatform; readonly session: Session<unknown> },
  published: Published,
): Promise<Failure | null> {
  try {
    await platform.remove?.(session, published, platformIo(context, SEND_TIMES.removeMs));
    return null;
  } catch (error) {
    return outcomeOf(error);
  }
}
