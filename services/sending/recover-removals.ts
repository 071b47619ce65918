/** Finishes deletions whose process died: the post ends up deleted, or stays sent when the platform refuses. */
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { RemovablePost } from './claim-removal.ts';
import { finishRemoval } from './take-down.ts';
import type { WithSender } from './post-sender.ts';

/**
 * Starts them without waiting for their end.
 *
 * @returns number of deletions started
 */
export function recoverRemovals(context: Context & WithSender, posts: readonly RemovablePost[]): number {
  for (const post of posts) context.sends.track(finish(context, post));
  return posts.length;
}

async function finish(context: Context, post: RemovablePost): Promise<void> {
  try {
    await finishRemoval(context, post);
  } catch (error) {
    const isRefused = error instanceof ServiceError;
    context.log[isRefused ? 'warn' : 'error']({ postId: post.id, err: error }, 'a recovered deletion failed');
  }
}
