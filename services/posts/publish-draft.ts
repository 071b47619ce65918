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
import type { PostRow } from './post-view.ts';
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
  const earlier = await replayedAnswer(context, caller, keyed);
  if (earlier !== null) return earlier;
  const post = await findPost(context, caller, input.postId);
  if (post.status !== 'draft') return replayOrRefuse(context, caller, keyed, post);
  const scheduledFor = readPublishTime(context, input);
  const { platform, limits, terms, isDeleted } = await findConnectionForPost(context, caller, post);
  const content = await contentOf(context.db.queries, post);
  const refusal = isDeleted
    ? ({ error: connectionGone(post), refusesRequest: true } as const)
    : { error: checkPost(context, platform, limits, content) };
  const { images } = content;
  const request = { post, from: 'draft', terms, scheduledFor, queue: input.queue === true, images } as const;
  try {
    const result = await publishOrSchedule(context, caller, { ...request, ...refusal }, keyed);
    return { answer: answerOf(result), replayed: false };
  } catch (thrown) {
    if (!(thrown instanceof PostChanged)) throw thrown;
    // The answer of another request with the same key, if there is one. A post that is still a draft was edited, or its
    // connection was deleted: publishing runs again, about what the post says now.
    return publishDraft(context, caller, input, keyed);
  }
}

/** The stored answer of an earlier request with the key; null when there is none. */
async function replayedAnswer(context: Context, caller: Caller, keyed: KeyedRequest | null): Promise<Published | null> {
  const [earlier] = (keyed === null ? null : await replay(context, caller, keyed)) ?? [];
  return earlier === undefined ? null : { answer: answerOf(earlier), replayed: true };
}

/**
 * Replays the answer of the request that published the draft, if that one has the same key. It may have committed after
 * this request searched for its answer.
 *
 * @throws ServiceError not_found
 */
async function replayOrRefuse(
  context: Context,
  caller: Caller,
  keyed: KeyedRequest | null,
  { id, status }: PostRow,
): Promise<Published> {
  const first = await replayedAnswer(context, caller, keyed);
  if (first !== null) return first;
  throw notDraft(id, status);
}

function answerOf(result: PostResult): PostResult | ServiceError {
  return result.refusesRequest === true && result.error !== null
    ? new ServiceError(result.error.code, result.error.message)
    : result;
}

function notDraft(postId: string, status: string): ServiceError {
  return new ServiceError('not_found', `No draft of yours has the id ${postId} any more: the post is ${status}.`);
}
