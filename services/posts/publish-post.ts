/**
 * Sends a stored post on its way, now or at a time: a draft (publish) or a failed post (retry). It
 * keeps its id and its mode, and goes to the connection it was made against. Of two requests at once,
 * one moves the post and the other finds it moved.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { PlanName } from '../../entities/account.ts';
import { query } from '../../entities/query.ts';
import { keepsDraft } from '../../errors/codes.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { failedEvent, rescheduledEvent } from '../events/post-event.ts';
import { storeEvents } from '../events/store-events.ts';
import { complete, type KeptResult, type KeyedRequest, replay, storeOnce } from '../idempotency/idempotency.ts';
import type { Caller } from '../keys/caller.ts';
import { admitPosts, FREE_OF_CHARGE, needsAdmission } from '../plans/admit-posts.ts';
import { lockQueues, nextFreeSlot, noSlot } from '../queue/slots.ts';
import { readScheduledFor } from '../schedule/read-scheduled-for.ts';
import { timestamp } from '../timestamp.ts';
import { checkPost } from './check-post.ts';
import { claimOne } from './claim-one.ts';
import type { ClaimedSend } from './claimed-send.ts';
import { findPost } from './find-post.ts';
import { contentOf, ownConnection } from './own-connection.ts';
import { storedIntent } from './post-intents.ts';
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

/** Thrown inside the transaction when the plan or the queue does not let the post go: nothing has changed then. */
class Refused extends Error {
  override name = 'Refused';
  readonly error: PartError;

  constructor(error: PartError) {
    super(error.message);
    this.error = error;
  }
}

/** What moves, from where, and to when. */
interface Move {
  readonly post: PostRow;
  readonly from: 'draft' | 'failed';
  readonly plan: PlanName;
  /** Null: now, or at a slot. */
  readonly scheduledFor: Date | null;
  readonly queue: boolean;
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
  const { platform, limits, plan } = await ownConnection(context, caller, post);
  const scheduledFor = readTime(context, input);
  const content = await contentOf(context, post);
  const error = checkPost(context, platform, limits, content);
  if (error !== null) return { result: await failDraft(context, post, content.images.length, error), replayed: false };
  const move: Move = { post, from: 'draft', plan, scheduledFor, queue: input.queue === true };
  try {
    return { result: await moveOn(context, caller, move, keyed), replayed: false };
  } catch (thrown) {
    if (thrown instanceof Refused && keepsDraft(thrown.error.code)) {
      return { result: refused(post, 'draft', thrown.error), replayed: false };
    }
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
  const { platform, limits, plan } = await ownConnection(context, caller, post);
  const scheduledFor = readTime(context, input);
  const error = checkPost(context, platform, limits, await contentOf(context, post));
  if (error !== null) return refused(post, 'failed', error);
  const move: Move = { post, from: 'failed', plan, scheduledFor, queue: input.queue === true };
  try {
    return await moveOn(context, caller, move, null);
  } catch (thrown) {
    if (thrown instanceof Refused) return refused(post, 'failed', thrown.error);
    if (thrown instanceof Moved) throw notFailed((await findPost(context, caller, post.id)).status);
    throw thrown;
  }
}

async function moveOn(context: Context, caller: Caller, move: Move, keyed: KeyedRequest | null): Promise<PostResult> {
  const { post } = move;
  const recordId = keyed === null ? null : context.random.uuid();
  let claimed: ClaimedSend | null = null;
  const decide = async (em: SqlEntityManager): Promise<KeptResult[]> => {
    const feeCents = await admit(context, em, move);
    const slot = move.queue ? await takeSlot(context, em, post) : null;
    const time = slot ?? move.scheduledFor;
    if (time === null) {
      claimed = await claimOne(context, em, { postId: post.id, from: move.from, feeCents });
      if (claimed === null) throw new Moved();
      return [{ pending: post.id }];
    }
    await schedule(context, em, move, time, slot);
    return [{ ...openResult(post.connection_slug, post.id), status: 'scheduled', scheduledFor: timestamp(time) }];
  };
  const store = (em: SqlEntityManager) => (keyed === null ? em.transactional(decide) : decide(em));
  const kept = await storeOnce(context, caller, keyed, recordId, store);
  const [known] = kept ?? [];
  if (known === undefined) throw new Moved();
  if ('pending' in known && claimed === null) throw new Error(`post ${post.id} was neither sent nor scheduled`);
  const result =
    'pending' in known
      ? outcomeResult(post.connection_slug, post.id, await context.sends.send(claimed as unknown as ClaimedSend))
      : known;
  if (recordId !== null) await complete(context, recordId, [result]);
  return result;
}

/** @returns what sending the post costs */
async function admit(context: Context, em: SqlEntityManager, move: Move): Promise<number> {
  if (!needsAdmission(move.plan)) return 0;
  const { post } = move;
  const intent = storedIntent(post, move.scheduledFor === null && !move.queue);
  const [admission = FREE_OF_CHARGE] = await admitPosts(context, em, post.account_id, [intent]);
  if (admission.error !== null) throw new Refused(admission.error);
  return admission.feeCents;
}

async function takeSlot(context: Context, em: SqlEntityManager, post: PostRow): Promise<Date> {
  const now = context.clock.now();
  const queue = (await lockQueues(em, [post.connection_id], now)).get(post.connection_id);
  if (queue === undefined) throw new Error(`connection ${post.connection_id} is gone`);
  const slot = nextFreeSlot(queue, now);
  if (slot === null) throw new Refused(noSlot(queue));
  return slot;
}

async function schedule(
  context: Context,
  em: SqlEntityManager,
  { post, from }: Move,
  time: Date,
  slot: Date | null,
): Promise<void> {
  const sql = `update posts set status = 'scheduled', scheduled_for = $3, queued = $5, slot_at = $6, held = false,
      error_code = null, error_message = null, generation = generation + $4
    where id = $1 and status = $2 returning id`;
  const parameters = [post.id, from, time, from === 'failed' ? 1 : 0, slot !== null, slot];
  if ((await query(em, sql, parameters)).length === 0) throw new Moved();
  if (from === 'failed') await storeEvents(em, [rescheduledEvent(context, post, time, 'requeued')]);
}

async function failDraft(context: Context, post: PostRow, mediaCount: number, error: PartError): Promise<PostResult> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const sql = `update posts set status = 'failed', error_code = $2, error_message = $3 where id = $1 and status = 'draft' returning id`;
    const [moved] = await query(em, sql, [post.id, error.code, error.message]);
    if (moved === undefined) throw noDraft(post.id, 'published');
    await storeEvents(em, [failedEvent(context, post, mediaCount, error)]);
  });
  return refused(post, 'failed', error);
}

function refused(post: PostRow, status: 'draft' | 'failed', { code, message }: PartError): PostResult {
  return { ...openResult(post.connection_slug, post.id), status, error: { code, message } };
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
