/** Finds the post that a platform refuses to repeat without saying which one it means. */
import { PlatformFailure } from './contract.ts';

/**
 * @param find looks for the earlier sends of the part
 * @returns null when the refusal is about another post
 * @throws PlatformFailure `unknown` when the platform does not show which post it means
 */
export async function findDuplicated<Found>(name: string, find: () => Promise<Found | null>): Promise<Found | null> {
  try {
    return await find();
  } catch (cause) {
    if (!(cause instanceof PlatformFailure)) throw cause;
    const message = `${name} refused a duplicate and did not show of which post: an earlier send of this one may be up.`;
    throw new PlatformFailure('unknown', message, { cause });
  }
}
