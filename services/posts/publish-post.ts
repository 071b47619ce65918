/**
 * Publishes a draft or retries a failed post, now or at a time. The post keeps its id, its mode and its connection. Of
 * two concurrent requests, one changes the post and the other one finds it changed.
 */
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { type KeyedRequest, replay } from '../idempotency/idempotency.ts';
import type { Caller } from '../keys/caller.ts';
import { readScheduledFor } from '../schedule/read-scheduled-for.ts';
import { checkPost } from './check-post.ts';
import { findPost } from './find-post.ts';
import { connectionGone, contentOf, findConnectionForPost, connectionForPost } from './connection-for-post.ts';
import type { PostResult } from './post-result.ts';
import { PostMoved, type Release, releasePost } from './release-post.ts';

export interface PublishInput {
  readonly postId: string;
  readonly scheduledFor?: string | undefined;
  readonly timezone?: string | undefined;
  readonly queue?: boolean | undefined;
}

export interface Published {
  /** The result, or the error that answers the whole request: invalid_connection, when the connection was deleted. */
  readonly answer: PostResult | ServiceError;
  /** Whether this is the stored answer of an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
}

/**
 * Publishes a draft. With a key, each answer that passed validation is stored and replayed, including refusals that
 * keep the draft and the one that failed it (docs/contract/posts.md#what-is-stored).
 *
 * @throws ServiceError not_found (no draft of the caller's, or no longer one), invalid_request, invalid_connection (its
 *   connection was moved out of the caller's profile), idempotency_key_conflict
 */
export async function publishDraft(
  context: Context,
  caller: Caller,
  input: PublishInput,
  keyed: KeyedRequest | null,
): Promise<Published> {
  const earlier = keyed === null ? null : await replay(context, caller, keyed);
  if (earlier?.[0] !== undefined) return { answer: answerOf(earlier[0]), replayed: true };
  const post = await findPost(context, caller, input.postId);
  if (post.status !== 'draft') throw noDraft(post.id, post.status);
  const scheduledFor = readTime(context, input);
  const { platform, limits, terms, isDeleted } = await findConnectionForPost(context, caller, post);
  const content = await contentOf(context, post);
  const release: Release = {
    post,
    from: 'draft',
    terms,
    scheduledFor,
    queue: input.queue === true,
    mediaCount: content.images.length,
    ...(isDeleted
      ? { error: connectionGone(post), refusesRequest: true }
      : { error: checkPost(context, platform, limits, content) }),
  };
  try {
    return { answer: answerOf(await releasePost(context, caller, release, keyed)), replayed: false };
  } catch (thrown) {
    if (!(thrown instanceof PostMoved)) throw thrown;
    // If the other request used the same key, its answer is the answer. Otherwise another request published the draft.
    if (keyed !== null && (await replay(context, caller, keyed)) !== null)
      return publishDraft(context, caller, input, keyed);
    const { status } = await findPost(context, caller, post.id);
    // The post is still a draft: its connection was deleted a moment ago. Run again to return that error.
    if (status === 'draft') return publishDraft(context, caller, input, keyed);
    throw noDraft(post.id, status);
  }
}

function answerOf(result: PostResult): PostResult | ServiceError {
  return result.refusesRequest === true && result.error !== null
    ? new ServiceError(result.error.code, result.error.message)
    : result;
}

/**
 * Sends a failed post again; emits post.rescheduled (`requeued`) when it gets a new time
 * (docs/contract/connections.md#linking-with-credentials).
 *
 * @throws ServiceError not_found, invalid_request (it has not failed, or its outcome is unknown and `force` is not
 *   set), invalid_connection
 */
export async function retryPost(
  context: Context,
  caller: Caller,
  input: PublishInput & { readonly force?: boolean | undefined },
): Promise<PostResult> {
  const post = await findPost(context, caller, input.postId);
  if (post.status !== 'failed') throw notFailed(post.status);
  if (post.error_code === 'outcome_unknown' && input.force !== true) {
    throw new ServiceError(
      'invalid_request',
      'force: nobody can say whether this post went out; look on the platform, then send force: true to post it again.',
    );
  }
  const scheduledFor = readTime(context, input);
  const { platform, limits, terms } = await connectionForPost(context, caller, post);
  const content = await contentOf(context, post);
  const release: Release = {
    post,
    from: 'failed',
    terms,
    scheduledFor,
    queue: input.queue === true,
    mediaCount: content.images.length,
    error: checkPost(context, platform, limits, content),
  };
  try {
    return await releasePost(context, caller, release, null);
  } catch (thrown) {
    if (thrown instanceof PostMoved) throw notFailed((await findPost(context, caller, post.id)).status);
    throw thrown;
  }
}

function readTime(context: Context, input: PublishInput): Date | null {
  if (input.queue === true && input.scheduledFor !== undefined) {
    throw new ServiceError('invalid_request', 'queue: cannot be combined with scheduledFor; send one of the two.');
  }
  return readScheduledFor(input, context.clock.now());
}

function noDraft(postId: string, status: string): ServiceError {
  return new ServiceError('not_found', `No draft of yours has the id ${postId} any more: the post is ${status}.`);
}

function notFailed(status: string): ServiceError {
  return new ServiceError('invalid_request', `Only a failed post can be sent again; this one is ${status}.`);
}
