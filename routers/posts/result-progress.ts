/** Tells whoever waits for a send of each connection that is done with, in a sentence. */
import type { PostResult } from '../../services/posts/post-result.ts';
import type { OperationContext } from '../trpc.ts';

/** What to call with each result and the number of all of them, in the order in which they come in. */
export function resultProgress({ onProgress }: Pick<OperationContext, 'onProgress'>) {
  let finished = 0;
  return ({ connectionSlug, status }: PostResult, total: number): void => {
    finished += 1;
    onProgress?.({ finished, total, message: `${connectionSlug}: ${status}` });
  };
}
