/**
 * Publishes or schedules a stored post, in the transaction that also stores the answer for an Idempotency-Key. A
 * refusal by the plan, the queue or the checks is also an answer: the post keeps its status, or a draft fails.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { isDeepStrictEqual } from 'node:util';
import { keepsDraft } from '../../errors/codes.ts';
import type { ItemError } from '../../errors/item-error.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Queries } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { failedEvent, rescheduledEvent } from '../events/post-event.ts';
import { storeEvents } from '../events/store-events.ts';
import type { KeyedRequest } from '../idempotency/idempotency.ts';
import type { Caller } from '../access/caller.ts';
import { identityOf } from '../access/identity.ts';
import { FREE, returnAllowance, permissionOf } from '../approvals/request-approval.ts';
import { settleApproval } from '../approvals/settle-approval.ts';
import { askFor, storeAllowed } from './ask-for-post.ts';
import { closeApproval } from './close-approval.ts';
import { contentOf } from './connection-for-post.ts';
import type { ImageSize } from '../images/inspect-image.ts';
import { holdImages } from '../media/hold-images.ts';
import { holdMedia } from '../media/hold-media.ts';
import { type Admission, admitPosts, FREE_OF_CHARGE, needsAdmission, storedIntent } from '../plans/admit-posts.ts';
import type { PlanTerms } from '../plans/plan-terms.ts';
import { readScheduledFor } from '../scheduling/read-scheduled-for.ts';
import { takeFreeSlot } from '../scheduling/slots.ts';
import { claimPosts } from '../sending/claim-posts.ts';
import { allowUnanswered } from '../sending/earlier-sends.ts';
import type { ClaimedSend } from '../sending/claimed-send.ts';
import type { WithSender } from '../sending/post-sender.ts';
import { stopOfPost } from '../stops/find-stop.ts';
import { timestamp } from '../timestamp.ts';
import { followPolicy, NO_RULING, type PolicyRuling, ruleOnPost } from './policy-of-post.ts';
import { PostChanged, requireUnedited } from './post-changed.ts';
import { holdConnection, scheduleStored } from './schedule-stored.ts';
import { plainResult, type PostResult } from './post-result.ts';
import type { PostRow } from './post-view.ts';
import { storeAndSend, type StoredResult, type StoringRequest } from './store-and-send.ts';

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
  /** Those that were checked. */
  readonly images: readonly ImageSize[];
  /** A reason to refuse it that was found before the transaction; null for none. */
  readonly error: ItemError | null;
  /** Whether that error answers the whole request. */
  readonly refusesRequest?: true;
  /** A refusal is thrown and undoes everything, instead of being stored. */
  readonly throwsRefusal?: true;
  /** Whether a person sends it although an earlier send may be up. */
  readonly isForced?: boolean;
  /** Images that `approve` gives the post. */
  readonly newImages?: readonly string[];
  /** Runs before the account and the post are locked. */
  readonly allow?: (em: SqlEntityManager) => Promise<void>;
  /** Runs in the transaction, instead of asking for approval, and may lock the post. What it throws undoes everything. */
  readonly approve?: (em: SqlEntityManager) => Promise<void>;
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
  const store = (outer: SqlEntityManager, { claim }: StoringRequest) => {
    const decideOnce = async (em: SqlEntityManager) => {
      const stored = await decide(context, em, caller, request, claim);
      const goesOut = 'claim' in stored || stored.error === null;
      if (request.isForced === true && goesOut) await allowUnanswered(em, { postId: request.post.id });
      return [stored];
    };
    return keyed === null ? outer.transactional(decideOnce) : decideOnce(outer);
  };
  try {
    const [result] = (await storeAndSend(context, caller, keyed, store)) ?? [];
    if (result === undefined) throw new PostChanged();
    return result;
  } catch (thrown) {
    // A stop that began while the request waited for a lock keeps its post from being claimed or scheduled.
    const isStopLikely = request.error === null && thrown instanceof PostChanged;
    const stop = isStopLikely ? await findStop(context.db.queries, caller, request) : null;
    if (stop === null) throw thrown;
    return publishOrSchedule(context, caller, { ...request, error: stop }, keyed);
  }
}

function findStop(queries: Queries, caller: Caller, { post, from }: PostToPublish): Promise<ItemError | null> {
  return stopOfPost(queries, { postId: post.id, status: from, callerId: identityOf(caller).id });
}

async function decide(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  request: PostToPublish,
  claim: string,
): Promise<StoredResult> {
  const { post, from } = request;
  if (request.error !== null) return refuse(context, em, caller, request, request.error);
  const stop = await findStop(em, caller, request);
  if (stop !== null) return refuse(context, em, caller, request, stop);
  const gone = from === 'failed' ? await holdImages(em, post.id) : null;
  if (gone !== null) return refuse(context, em, caller, request, gone);
  // Before the account, as where posts are created and images are deleted.
  if (request.newImages !== undefined) await holdMedia(em, request.newImages);
  await request.allow?.(em);
  // A person who approves has decided. The post counts under the policy of the one who asked.
  const isApproved = request.approve !== undefined;
  const plan = { scheduledFor: request.scheduledFor, queue: request.queue };
  const ruling = isApproved ? NO_RULING : await ruleOnPost(context, em, caller, post, plan);
  if (ruling.refusal !== null) return refuse(context, em, caller, request, ruling.refusal);
  const permission = isApproved ? FREE : await permissionOf(context, em, caller, 1, ruling.cause);
  const asked = { post, from, ...plan, policyId: ruling.policyId };
  if (permission.kind === 'asks') return askFor(context, em, caller, permission, asked);
  const place = await takePlace(context, em, request, ruling);
  if (place.error !== null) {
    await returnAllowance(em, caller, permission, 1);
    return refuse(context, em, caller, request, place.error);
  }
  const { time } = place;
  if (time !== null) await holdConnection(em, post);
  await request.approve?.(em);
  await storeAllowed(context, em, caller, permission, asked);
  const result =
    time === null
      ? await claimNow(context, em, caller, request, { feeCents: place.feeCents, claim })
      : await schedule(context, em, caller, request, { time, slot: place.slot, policyId: ruling.policyId });
  await followPolicy(em, post, ruling);
  // A refusal that keeps the draft leaves its request pending.
  if (!isApproved && from === 'draft') await closeApproval(context, em, caller, post);
  return result;
}

/** When an admitted post goes out, and for which fee. */
interface Place {
  readonly error: null;
  readonly feeCents: number;
  /** Null for now. */
  readonly time: Date | null;
  /** The slot that it takes; null for none. */
  readonly slot: Date | null;
}

/** Locks the account and the connection if the plan or the queue decides. */
async function takePlace(
  context: Context,
  em: SqlEntityManager,
  request: PostToPublish,
  { refusalAt }: PolicyRuling,
): Promise<Place | { readonly error: ItemError }> {
  const admission = await admit(context, em, request);
  if (admission.error !== null) return admission;
  const { feeCents } = admission;
  const now = context.clock.now();
  const mayGoOut = (at: Date) => refusalAt(at, feeCents);
  const slot = request.queue ? await takeFreeSlot(em, request.post.connection_id, now, mayGoOut) : null;
  if (slot !== null && !(slot instanceof Date)) return { error: slot };
  const error = slot === null ? mayGoOut(request.scheduledFor ?? now) : null;
  return error === null ? { error, feeCents, time: slot ?? request.scheduledFor, slot } : { error };
}

async function claimNow(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  { post, from, approve }: PostToPublish,
  { feeCents, claim }: { readonly feeCents: number; readonly claim: string },
): Promise<ClaimedSend> {
  const toClaim = { id: post.id, platformId: post.platform_id, feeCents, callerId: identityOf(caller).id };
  const [send] = await claimPosts(context, em, from, [toClaim], claim);
  if (send === undefined) throw new PostChanged();
  // Another request has sent the failed post since it was read, and its outcome may be unknown.
  if (send.post.generation !== post.generation + (from === 'failed' ? 1 : 0)) throw new PostChanged();
  const { text, thread, firstComment } = send.post;
  // Approving locks the post itself, and may edit it.
  if (approve === undefined) requireUnedited({ text, thread: [...thread], first_comment: firstComment }, post);
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

async function schedule(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  { post, from, approve }: PostToPublish,
  place: { readonly time: Date; readonly slot: Date | null; readonly policyId: string | null },
): Promise<PostResult> {
  const { id: postId, generation } = post;
  const callerId = identityOf(caller).id;
  const [scheduled] = await scheduleStored(em, { postId, from, generation, callerId, ...place });
  if (scheduled === undefined) throw new PostChanged();
  if (approve === undefined) requireUnedited(scheduled, post);
  if (from === 'failed') await storeEvents(em, [rescheduledEvent(context, post, place.time, 'requeued')]);
  return { ...plainResult(post.connection_slug, 'scheduled', post.id), scheduledFor: timestamp(place.time) };
}

/**
 * Keeps a draft when the caller can fix the cause of the refusal, and fails it otherwise
 * (docs/contract/posts.md#statuses); a failed post stays failed.
 */
async function refuse(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  { post, from, images, refusesRequest, throwsRefusal }: PostToPublish,
  { code, message }: ItemError,
): Promise<PostResult> {
  if (throwsRefusal === true) throw new ServiceError(code, message);
  const result = (status: 'draft' | 'failed'): PostResult => ({
    ...plainResult(post.connection_slug, status, post.id),
    error: { code, message },
  });
  if (from === 'draft' && keepsDraft(code)) return result('draft');
  if (from === 'draft') {
    const [failed] = await tables(em)
      .updateTable('posts')
      .set({ status: 'failed', error_code: code, error_message: message })
      .where('id', '=', post.id)
      .where('status', '=', 'draft')
      .returning(['id', 'text', 'thread', 'first_comment'])
      .execute();
    // An edit may have removed the cause. It either came before the row was locked, or finds that this is no draft any more.
    requireUnedited(failed, post);
    const present = await contentOf(em, failed);
    if (!isDeepStrictEqual(present.images, images)) throw new PostChanged();
    const decision = { at: context.clock.now(), by: identityOf(caller), reason: 'The draft failed.' };
    await settleApproval(em, post.id, { ...decision, state: 'void' });
    await storeEvents(em, [failedEvent(context, post, images.length, { code, message })]);
  }
  return { ...result('failed'), ...(refusesRequest && { refusesRequest }) };
}
