/** Sends a failed post again under its id, now, at a time or into the queue (docs/contract/posts.md#retry). */
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import type { WithSender } from '../sending/post-sender.ts';
import { checkPost } from './check-post.ts';
import { connectionForPost, contentOf } from './connection-for-post.ts';
import { findPost } from './find-post.ts';
import type { PostResult } from './post-result.ts';
import { PostChanged } from './post-changed.ts';
import { publishOrSchedule, type PublishInput, readPublishTime } from './publish-or-schedule.ts';

/**
 * Emits post.rescheduled (`requeued`) when the post gets a new time.
 *
 * @throws ServiceError not_found, invalid_request (it has not failed, or its outcome is unknown and `force` is not
 *   set), invalid_connection
 */
export async function retryPost(
  context: Context & WithSender,
  caller: Caller,
  input: PublishInput & { readonly force?: boolean | undefined },
): Promise<PostResult> {
  const post = await findPost(context, caller, input.postId);
  if (post.status !== 'failed') throw notFailed(post.status);
  if (post.error_code === 'outcome_unknown' && input.force !== true) {
    throw new ServiceError(
      'invalid_request',
      'force: the outcome of this post is unknown. Look for it on the platform, then send force: true to post it again.',
    );
  }
  const scheduledFor = readPublishTime(context, input);
  const { platform, limits, terms } = await connectionForPost(context, caller, post);
  const content = await contentOf(context.db.queries, post);
  const request = {
    post,
    from: 'failed',
    terms,
    scheduledFor,
    queue: input.queue === true,
    isForced: input.force === true,
    images: content.images,
    error: checkPost(context, platform, limits, content),
  } as const;
  try {
    return await publishOrSchedule(context, caller, request, null);
  } catch (thrown) {
    if (!(thrown instanceof PostChanged)) throw thrown;
    const { status } = await findPost(context, caller, post.id);
    // Another request has sent it, and it failed again: `force` was about the outcome of before.
    if (status === 'failed') return retryPost(context, caller, { ...input, force: false });
    throw notFailed(status);
  }
}

function notFailed(status: string): ServiceError {
  return new ServiceError('invalid_request', `Only a failed post can be sent again; this one is ${status}.`);
}
