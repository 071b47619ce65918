/** Reports progress to the caller of a send: one sentence for each finished connection. */
import type { PostResult } from '../../services/posts/post-result.ts';
import type { OperationContext } from '../context.ts';

/** A callback for each result and the total number of results, called in the order in which results arrive. */
export function resultProgress({ onProgress }: Pick<OperationContext, 'onProgress'>) {
  let finished = 0;
  return ({ connectionSlug, status }: PostResult, total: number): void => {
    finished += 1;
    onProgress?.({ finished, total, message: `${connectionSlug}: ${status}` });
  };
}
