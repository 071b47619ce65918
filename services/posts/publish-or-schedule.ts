/**
 * Publishes or schedules a stored post, in the transaction that also stores the answer for an Idempotency-Key. A
 * refusal by the plan, the queue or the checks is also an answer: the post keeps its status, or a draft fails.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { keepsDraft } from '../../errors/codes.ts';
import type { ItemError } from '../../errors/item-error.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { failedEvent, rescheduledEvent } from '../events/post-event.ts';
import { storeEvents } from '../events/store-events.ts';
import type { KeyedRequest } from '../idempotency/idempotency.ts';
import type { Caller } from '../access/caller.ts';
import { type Admission, admitPosts, FREE_OF_CHARGE, needsAdmission, storedIntent } from '../plans/admit-posts.ts';
import type { PlanTerms } from '../plans/plan-terms.ts';
import { readScheduledFor } from '../scheduling/read-scheduled-for.ts';
import { takeFreeSlot } from '../scheduling/slots.ts';
import { claimPosts } from '../sending/claim-posts.ts';
import type { WithSender } from '../sending/post-sender.ts';
import { timestamp } from '../timestamp.ts';
import { openResult, type PostResult } from './post-result.ts';
import type { PostRow } from './post-view.ts';
import { storeAndSend, type StoredResult } from './store-and-send.ts';

/** When to send a stored post; without a time or the queue, now. */
export interface PublishInput {
  readonly postId: string;
  readonly scheduledFor?: string | undefined;
  readonly timezone?: string | undefined;
  readonly queue?: boolean | undefined;
}

/** The post to publish or schedule, its current state, and its time. */
export interface PostToPublish {
  readonly post: PostRow;
  readonly from: 'draft' | 'failed';
  readonly terms: PlanTerms;
  /** Null: now, or at a slot. */
  readonly scheduledFor: Date | null;
  readonly queue: boolean;
  readonly mediaCount: number;
  /** A reason to refuse it that was found before the transaction; null for none. */
  readonly error: ItemError | null;
  /** Whether that error answers the whole request. */
  readonly refusesRequest?: true;
}

/** Thrown inside the transaction when the post is no longer in the expected state. */
export class PostChanged extends Error {
  override name = 'PostChanged';
}

/** @throws ServiceError invalid_request for a time together with the queue, or a time that cannot be read */
export function readPublishTime(context: Context, input: PublishInput): Date | null {
  if (input.queue === true && input.scheduledFor !== undefined) {
    throw new ServiceError('invalid_request', 'queue: cannot be combined with scheduledFor; send one of the two.');
  }
  return readScheduledFor(input, context.clock.now());
}

/**
 * @returns the result; that of a refused post has its error
 * @throws PostChanged when another request has changed the post or used the key meanwhile; then nothing is stored
 */
export async function publishOrSchedule(
  context: Context & WithSender,
  caller: Caller,
  request: PostToPublish,
  keyed: KeyedRequest | null,
): Promise<PostResult> {
  const decideOnce = async (em: SqlEntityManager) => [await decide(context, em, request)];
  const store = (em: SqlEntityManager) => (keyed === null ? em.transactional(decideOnce) : decideOnce(em));
  const [result] = (await storeAndSend(context, caller, keyed, store)) ?? [];
  if (result === undefined) throw new PostChanged();
  return result;
}

async function decide(context: Context, em: SqlEntityManager, request: PostToPublish): Promise<StoredResult> {
  const { post, from } = request;
  if (request.error !== null) return refuse(context, em, request, request.error);
  const admission = await admit(context, em, request);
  if (admission.error !== null) return refuse(context, em, request, admission.error);
  const slot = request.queue ? await takeFreeSlot(em, post.connection_id, context.clock.now()) : null;
  if (slot !== null && !(slot instanceof Date)) return refuse(context, em, request, slot);
  const time = slot ?? request.scheduledFor;
  if (time !== null) return schedule(context, em, request, time, slot);
  const { feeCents } = admission;
  const [send] = await claimPosts(context, em, from, [{ id: post.id, platformId: post.platform_id, feeCents }]);
  if (send === undefined) throw new PostChanged();
  return send;
}

/** The fee for sending the post, or why the plan refuses it. */
async function admit(context: Context, em: SqlEntityManager, request: PostToPublish): Promise<Admission> {
  const { post, terms, scheduledFor, queue } = request;
  if (!needsAdmission(context, terms, post.platform_id)) return FREE_OF_CHARGE;
  const intent = storedIntent(post, scheduledFor === null && !queue);
  const [admission = FREE_OF_CHARGE] = await admitPosts(context, em, post.account_id, [intent]);
  return admission;
}

// Locks the connection, so that removing it either cancels this post too, or commits first and nothing is scheduled.
const scheduleStored = statement('schedule a draft or a failed post', {
  parameters: { postId: 'uuid', from: 'text', time: 'timestamptz', slot: 'timestamptz?', connectionId: 'uuid' },
  result: { id: 'uuid' },
  sql: ({ postId, from, time, slot, connectionId }) => `
    with connection as (select id from connections where id = ${connectionId} and deleted_at is null for share)
    update posts p set status = 'scheduled', scheduled_for = ${time}, queued = ${slot} is not null, slot_at = ${slot},
      held = false, error_code = null, error_message = null, generation = p.generation + (p.status = 'failed')::int
    from connection c where p.id = ${postId} and p.status = ${from} and p.connection_id = c.id returning p.id`,
});

async function schedule(
  context: Context,
  em: SqlEntityManager,
  { post, from }: PostToPublish,
  time: Date,
  slot: Date | null,
): Promise<PostResult> {
  const scheduled = await scheduleStored(em, { postId: post.id, from, time, slot, connectionId: post.connection_id });
  if (scheduled.length === 0) throw new PostChanged();
  if (from === 'failed') await storeEvents(em, [rescheduledEvent(context, post, time, 'requeued')]);
  return { ...openResult(post.connection_slug, post.id), status: 'scheduled', scheduledFor: timestamp(time) };
}

/**
 * Keeps a draft when the caller can fix the cause of the refusal, and fails it otherwise
 * (docs/contract/posts.md#statuses); a failed post stays failed.
 */
async function refuse(
  context: Context,
  em: SqlEntityManager,
  { post, from, mediaCount, refusesRequest }: PostToPublish,
  { code, message }: ItemError,
): Promise<PostResult> {
  const result = { ...openResult(post.connection_slug, post.id), error: { code, message } };
  if (from === 'draft' && keepsDraft(code)) return { ...result, status: 'draft' };
  if (from === 'draft') {
    const failed = await tables(em)
      .updateTable('posts')
      .set({ status: 'failed', error_code: code, error_message: message })
      .where('id', '=', post.id)
      .where('status', '=', 'draft')
      .returning('id')
      .execute();
    if (failed.length === 0) throw new PostChanged();
    await storeEvents(em, [failedEvent(context, post, mediaCount, { code, message })]);
  }
  return { ...result, status: 'failed', ...(refusesRequest && { refusesRequest }) };
}
