/** Takes parts of a post down on their platform, newest first, each call in the ledger. */
import type { AnyPlatform, Published, Session } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { platformIo } from '../platform-io.ts';
import { closeRow, openRemoval } from './ledger.ts';
import { outcomeOf, type PartError } from './send-part.ts';

/** Real time one delete call may take. */
const REMOVE_TIMEOUT_MS = 30_000;

/** A part that is up, and its position among the parts. */
export interface StandingPart {
  readonly index: number;
  readonly published: Published;
}

export interface Removal {
  /** Parts that are still up, oldest first; empty when all came down. */
  readonly left: readonly StandingPart[];
  /** Why the first delete that failed did; null when all came down. */
  readonly error: PartError | null;
}

/** Stops at the first part that does not come down, so that no reply is left without what it replies to. */
export async function removeParts(
  context: Context,
  account: { readonly platform: AnyPlatform; readonly session: Session<unknown> },
  post: { readonly id: string; readonly generation: number },
  standing: readonly StandingPart[],
): Promise<Removal> {
  const left = [...standing];
  for (let part = left.at(-1); part !== undefined; part = left.at(-1)) {
    const attemptId = await openRemoval(context, post, part);
    const failure = await remove(context, account, part.published);
    await closeRow(context, attemptId, failure);
    if (failure !== null) return { left, error: failure.error };
    left.pop();
  }
  return { left, error: null };
}

async function remove(
  context: Context,
  { platform, session }: { readonly platform: AnyPlatform; readonly session: Session<unknown> },
  published: Published,
): Promise<ReturnType<typeof outcomeOf> | null> {
  try {
    await platform.remove?.(session, published, platformIo(context, REMOVE_TIMEOUT_MS));
    return null;
  } catch (error) {
    return outcomeOf(error);
  }
}
