/**
 * Sends a stored post on its way, now or at a time: a draft (publish) or a failed post (retry). It
 * keeps its id and its mode, and goes to the connection it was made against. Of two requests at once,
 * one moves the post and the other finds it moved.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Event } from '../../entities/event.ts';
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { postEvent, rescheduledEvent } from '../events/post-event.ts';
import { complete, type KeyedRequest, replay, storeOnce } from '../idempotency/idempotency.ts';
import type { Caller } from '../keys/caller.ts';
import { readScheduledFor } from '../schedule/read-scheduled-for.ts';
import { timestamp } from '../timestamp.ts';
import { checkPost } from './check-post.ts';
import { claimOne } from './claim-sends.ts';
import type { ClaimedSend } from './claimed-send.ts';
import { findPost } from './find-post.ts';
import { contentOf, ownConnection } from './own-connection.ts';
import type { PostRow } from './post-view.ts';
import { openResult, outcomeResult, type PostResult } from './post-result.ts';
import type { PartError } from './send-part.ts';

export interface PublishInput {
  readonly postId: string;
  readonly scheduledFor?: string | undefined;
  readonly timezone?: string | undefined;
  readonly queue?: boolean | undefined;
}

export interface Published {
  readonly result: PostResult;
  readonly replayed: boolean;
}

/** Thrown inside the transaction when the post is no longer in the state it was found in. */
class Moved extends Error {
  override name = 'Moved';
}

/**
 * @throws ServiceError not_found (no draft of the caller's, or not one any more), invalid_request,
 *   invalid_connection (its connection was deleted), idempotency_key_conflict
 */
export async function publishDraft(
  context: Context,
  caller: Caller,
  input: PublishInput,
  keyed: KeyedRequest | null,
): Promise<Published> {
  const earlier = keyed === null ? null : await replay(context, caller, keyed);
  if (earlier?.[0] !== undefined) return { result: earlier[0], replayed: true };
  const post = await findPost(context, caller, input.postId);
  if (post.status !== 'draft') throw noDraft(post.id, post.status);
  const { platform, limits } = await ownConnection(context, post);
  const scheduledFor = readTime(context, input);
  if (input.queue === true)
    return {
      result: { ...openResult(post.connection_slug, post.id), status: 'draft', error: queueEmpty(post) },
      replayed: false,
    };
  const content = await contentOf(context, post);
  const error = checkPost(platform, limits, content);
  if (error !== null) return { result: await failDraft(context, post, content.mediaCount, error), replayed: false };
  try {
    return { result: await moveOn(context, caller, post, 'draft', scheduledFor, keyed), replayed: false };
  } catch (thrown) {
    if (!(thrown instanceof Moved)) throw thrown;
    // Under the same key the other request was this one: its answer counts. Otherwise somebody else published the draft.
    if (keyed !== null && (await replay(context, caller, keyed)) !== null)
      return publishDraft(context, caller, input, keyed);
    throw noDraft(post.id, 'published');
  }
}

/**
 * Sends a failed post again; emits post.rescheduled (`requeued`) when it gets a new time (D11).
 *
 * @throws ServiceError not_found, invalid_request (it has not failed, or its outcome is unknown and
 *   `force` is not set), invalid_connection
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
  const { platform, limits } = await ownConnection(context, post);
  const scheduledFor = readTime(context, input);
  const error =
    (input.queue === true ? queueEmpty(post) : null) ?? checkPost(platform, limits, await contentOf(context, post));
  if (error !== null) return { ...openResult(post.connection_slug, post.id), status: 'failed', error: { ...error } };
  try {
    return await moveOn(context, caller, post, 'failed', scheduledFor, null);
  } catch (thrown) {
    if (thrown instanceof Moved) throw notFailed((await findPost(context, caller, post.id)).status);
    throw thrown;
  }
}

async function moveOn(
  context: Context,
  caller: Caller,
  post: PostRow,
  from: 'draft' | 'failed',
  scheduledFor: Date | null,
  keyed: KeyedRequest | null,
): Promise<PostResult> {
  const recordId = keyed === null ? null : context.random.uuid();
  const scheduled: PostResult | null =
    scheduledFor === null
      ? null
      : { ...openResult(post.connection_slug, post.id), status: 'scheduled', scheduledFor: timestamp(scheduledFor) };
  let claimed: ClaimedSend | null = null;
  const kept = scheduled ?? { pending: post.id };
  const move = async (em: SqlEntityManager) => {
    if (scheduledFor === null) {
      claimed = await claimOne(context, em, post.id, from);
      if (claimed === null) throw new Moved();
      return;
    }
    await schedule(context, em, post, from, scheduledFor);
  };
  const alone = (em: SqlEntityManager) => (keyed === null ? em.transactional(move) : move(em));
  if (!(await storeOnce(context, caller, keyed, recordId, [kept], alone))) throw new Moved();
  const result =
    claimed === null ? scheduled : outcomeResult(post.connection_slug, post.id, await context.sends.send(claimed));
  if (result === null) throw new Error(`post ${post.id} was neither sent nor scheduled`);
  if (recordId !== null) await complete(context, recordId, [result]);
  return result;
}

async function schedule(
  context: Context,
  em: SqlEntityManager,
  post: PostRow,
  from: 'draft' | 'failed',
  scheduledFor: Date,
): Promise<void> {
  const sql = `update posts set status = 'scheduled', scheduled_for = $3, error_code = null, error_message = null,
      generation = generation + $4
    where id = $1 and status = $2 returning id`;
  const moved = await query(em, sql, [post.id, from, scheduledFor, from === 'failed' ? 1 : 0]);
  if (moved.length === 0) throw new Moved();
  if (from === 'failed') em.create(Event, rescheduledEvent(context, post, scheduledFor, 'requeued'));
  await em.flush();
}

async function failDraft(context: Context, post: PostRow, mediaCount: number, error: PartError): Promise<PostResult> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const sql = `update posts set status = 'failed', error_code = $2, error_message = $3 where id = $1 and status = 'draft' returning account_id`;
    const [moved] = await query<{ account_id: string }>(em, sql, [post.id, error.code, error.message]);
    if (moved === undefined) throw noDraft(post.id, 'published');
    const facts = {
      id: post.id,
      connectionSlug: post.connection_slug,
      text: post.text,
      scheduledFor: null,
      createdAt: new Date(post.created_at),
      tags: post.tags,
      profileId: post.profile_id,
      mediaCount,
    };
    em.create(Event, {
      id: context.random.uuid(),
      accountId: moved.account_id,
      profileId: post.profile_id,
      name: 'post.failed',
      mode: post.mode,
      subjectId: post.id,
      payload: postEvent(facts, { status: 'failed', url: null, error, threadCount: 0, hasFirstComment: false }),
      createdAt: context.clock.now(),
    });
    await em.flush();
  });
  return {
    ...openResult(post.connection_slug, post.id),
    status: 'failed',
    error: { code: error.code, message: error.message },
  };
}

function readTime(context: Context, input: PublishInput): Date | null {
  if (input.queue === true && input.scheduledFor !== undefined) {
    throw new ServiceError('invalid_request', 'queue: cannot be combined with scheduledFor; send one of the two.');
  }
  return readScheduledFor(input, context.clock.now());
}

// Connections have no slots yet, so every queue is empty.
function queueEmpty(post: PostRow): { code: 'queue_empty'; message: string } {
  return {
    code: 'queue_empty',
    message: `The connection "${post.connection_slug}" has no queue slots; set some, or give scheduledFor.`,
  };
}

function noDraft(postId: string, status: string): ServiceError {
  return new ServiceError('not_found', `No draft of yours has the id ${postId} any more: the post is ${status}.`);
}

function notFailed(status: string): ServiceError {
  return new ServiceError('invalid_request', `Only a failed post can be sent again; this one is ${status}.`);
}
