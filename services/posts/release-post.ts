/**
 * Publishes or schedules a stored post, in the transaction that also stores the answer for an Idempotency-Key. A
 * refusal by the plan, the queue or the checks is also an answer: the post keeps its status, or a draft fails.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import { keepsDraft } from '../../errors/codes.ts';
import type { Context } from '../context.ts';
import { failedEvent, rescheduledEvent } from '../events/post-event.ts';
import { storeEvents } from '../events/store-events.ts';
import { complete, type KeptResult, type KeyedRequest, storeOnce } from '../idempotency/idempotency.ts';
import type { Caller } from '../keys/caller.ts';
import { type Admission, admitPosts, FREE_OF_CHARGE, needsAdmission } from '../plans/admit-posts.ts';
import type { PlanTerms } from '../plans/plan-terms.ts';
import { takeFreeSlot } from '../queue/slots.ts';
import { timestamp } from '../timestamp.ts';
import { claimOne } from './claim-one.ts';
import type { ClaimedSend } from './claimed-send.ts';
import { storedIntent } from './post-intents.ts';
import type { PostRow } from './post-view.ts';
import { openResult, outcomeResult, type PostResult } from './post-result.ts';
import type { PartError } from './send-part.ts';

/** Thrown inside the transaction when the post is no longer in the expected state. */
export class PostMoved extends Error {
  override name = 'PostMoved';
}

/** The post to publish or schedule, its current state, and its time. */
export interface Release {
  readonly post: PostRow;
  readonly from: 'draft' | 'failed';
  readonly terms: PlanTerms;
  /** Null: now, or at a slot. */
  readonly scheduledFor: Date | null;
  readonly queue: boolean;
  readonly mediaCount: number;
  /** A reason to refuse it that was found before the transaction; null for none. */
  readonly error: PartError | null;
  /** Whether that error answers the whole request. */
  readonly refusesRequest?: true;
}

/**
 * @returns the result; that of a refused post has its error
 * @throws PostMoved when another request has changed the post or used the key meanwhile; then nothing is stored
 */
export async function releasePost(
  context: Context,
  caller: Caller,
  release: Release,
  keyed: KeyedRequest | null,
): Promise<PostResult> {
  const { post } = release;
  const recordId = keyed === null ? null : context.random.uuid();
  let claimed: ClaimedSend | null = null;
  const decide = async (em: SqlEntityManager): Promise<KeptResult[]> => {
    if (release.error !== null) return [await refuse(context, em, release, release.error)];
    const admission = await admit(context, em, release);
    if (admission.error !== null) return [await refuse(context, em, release, admission.error)];
    const slot = release.queue ? await takeFreeSlot(em, post.connection_id, context.clock.now()) : null;
    if (slot !== null && !(slot instanceof Date)) return [await refuse(context, em, release, slot)];
    const time = slot ?? release.scheduledFor;
    if (time !== null) return [await schedule(context, em, release, time, slot)];
    claimed = await claimOne(context, em, { postId: post.id, from: release.from, feeCents: admission.feeCents });
    if (claimed === null) throw new PostMoved();
    return [{ pending: post.id }];
  };
  const store = (em: SqlEntityManager) => (keyed === null ? em.transactional(decide) : decide(em));
  const [known] = (await storeOnce(context, caller, keyed, recordId, store)) ?? [];
  if (known === undefined) throw new PostMoved();
  if ('pending' in known && claimed === null) throw new Error(`post ${post.id} was neither sent nor scheduled`);
  const result =
    'pending' in known
      ? outcomeResult(post.connection_slug, post.id, await context.sends.send(claimed as unknown as ClaimedSend))
      : known;
  if (recordId !== null) await complete(context, recordId, [result]);
  return result;
}

/** The fee for sending the post, or why the plan refuses it. */
async function admit(context: Context, em: SqlEntityManager, release: Release): Promise<Admission> {
  const { post, terms, scheduledFor, queue } = release;
  if (!needsAdmission(context, terms, post.platform_id)) return FREE_OF_CHARGE;
  const intent = storedIntent(post, scheduledFor === null && !queue);
  const [admission = FREE_OF_CHARGE] = await admitPosts(context, em, post.account_id, [intent]);
  return admission;
}

// Locks the connection, so that removing it either cancels this post too, or commits first and nothing is scheduled.
const SCHEDULE = `
  with connection as (select id from connections where id = $7 and deleted_at is null for share)
  update posts p set status = 'scheduled', scheduled_for = $3, queued = $5, slot_at = $6, held = false,
    error_code = null, error_message = null, generation = generation + $4
  from connection c where p.id = $1 and p.status = $2 and p.connection_id = c.id returning p.id`;

async function schedule(
  context: Context,
  em: SqlEntityManager,
  { post, from }: Release,
  time: Date,
  slot: Date | null,
): Promise<PostResult> {
  const parameters = [post.id, from, time, from === 'failed' ? 1 : 0, slot !== null, slot, post.connection_id];
  if ((await query(em, SCHEDULE, parameters)).length === 0) throw new PostMoved();
  if (from === 'failed') await storeEvents(em, [rescheduledEvent(context, post, time, 'requeued')]);
  return { ...openResult(post.connection_slug, post.id), status: 'scheduled', scheduledFor: timestamp(time) };
}

const FAIL = `
  update posts set status = 'failed', error_code = $2, error_message = $3 where id = $1 and status = 'draft' returning id`;

/**
 * Keeps a draft when the caller can fix the cause of the refusal, and fails it otherwise
 * (docs/contract/posts.md#statuses); a failed post stays failed.
 */
async function refuse(
  context: Context,
  em: SqlEntityManager,
  { post, from, mediaCount, refusesRequest }: Release,
  { code, message }: PartError,
): Promise<PostResult> {
  const result = { ...openResult(post.connection_slug, post.id), error: { code, message } };
  if (from === 'draft' && keepsDraft(code)) return { ...result, status: 'draft' };
  if (from === 'draft') {
    if ((await query(em, FAIL, [post.id, code, message])).length === 0) throw new PostMoved();
    await storeEvents(em, [failedEvent(context, post, mediaCount, { code, message })]);
  }
  return { ...result, status: 'failed', ...(refusesRequest && { refusesRequest }) };
}
