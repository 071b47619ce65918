/**
 * Publishes a draft, now or at a time. The post keeps its id, its mode and its connection. Of two concurrent requests,
 * one changes the post and the other one finds it changed (docs/contract/posts.md#publishing-a-draft).
 */
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { KeyedRequest } from '../idempotency/idempotency.ts';
import type { Caller } from '../access/caller.ts';
import type { WithSender } from '../sending/post-sender.ts';
import { checkPost } from './check-post.ts';
import { connectionGone, contentOf, findConnectionForPost } from './connection-for-post.ts';
import { findPost } from './find-post.ts';
import type { PostResult } from './post-result.ts';
import { PostChanged } from './post-changed.ts';
import { publishOrSchedule, type PublishInput, readPublishTime } from './publish-or-schedule.ts';
import { replay } from './replay.ts';

export interface Published {
  /** The result, or the error that answers the whole request: invalid_connection, when the connection was deleted. */
  readonly answer: PostResult | ServiceError;
  /** Whether this is the stored answer of an earlier request with the same Idempotency-Key. */
  readonly replayed: boolean;
}

/**
 * With a key, each answer that passed validation is stored and replayed, including refusals that keep the draft and the
 * one that failed it (docs/contract/posts.md#what-is-stored).
 *
 * @throws ServiceError not_found (no draft of the caller's, or no longer one), invalid_request, invalid_connection (its
 *   connection was moved out of the caller's profile), idempotency_key_conflict
 */
export async function publishDraft(
  context: Context & WithSender,
  caller: Caller,
  input: PublishInput,
  keyed: KeyedRequest | null,
): Promise<Published> {
  const earlier = keyed === null ? null : await replay(context, caller, keyed);
  if (earlier?.[0] !== undefined) return { answer: answerOf(earlier[0]), replayed: true };
  const post = await findPost(context, caller, input.postId);
  if (post.status !== 'draft') throw notDraft(post.id, post.status);
  const scheduledFor = readPublishTime(context, input);
  const { platform, limits, terms, isDeleted } = await findConnectionForPost(context, caller, post);
  const content = await contentOf(context, post);
  const refusal = isDeleted
    ? ({ error: connectionGone(post), refusesRequest: true } as const)
    : { error: checkPost(context, platform, limits, content) };
  const mediaCount = content.images.length;
  const request = { post, from: 'draft', terms, scheduledFor, queue: input.queue === true, mediaCount } as const;
  try {
    const result = await publishOrSchedule(context, caller, { ...request, ...refusal }, keyed);
    return { answer: answerOf(result), replayed: false };
  } catch (thrown) {
    if (!(thrown instanceof PostChanged)) throw thrown;
    // If the other request used the same key, its answer is the answer. Otherwise another request published the draft.
    if (keyed !== null && (await replay(context, caller, keyed)) !== null)
      return publishDraft(context, caller, input, keyed);
    const { status } = await findPost(context, caller, post.id);
    // The post is still a draft: it was edited, or its connection was deleted. Run again, about what it says now.
    if (status === 'draft') return publishDraft(context, caller, input, keyed);
    throw notDraft(post.id, status);
  }
}

function answerOf(result: PostResult): PostResult | ServiceError {
  return result.refusesRequest === true && result.error !== null
    ? new ServiceError(result.error.code, result.error.message)
    : result;
}

function notDraft(postId: string, status: string): ServiceError {
  return new ServiceError('not_found', `No draft of yours has the id ${postId} any more: the post is ${status}.`);
}
