/**
 * Moves a scheduled post to another time, or into the queue of its connection, and keeps its id
 * (docs/contract/scheduling.md#rescheduling). The slot that it leaves becomes free for the next queued post. Of a
 * concurrent move, cancel and claim by a worker, one wins.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { rescheduledEvent } from '../events/post-event.ts';
import { storeEvents } from '../events/store-events.ts';
import type { Caller } from '../access/caller.ts';
import { identityOf } from '../access/identity.ts';
import { returnAllowance, permissionOf } from '../approvals/request-approval.ts';
import { followPolicy, ruleOnPost } from './policy-of-post.ts';
import { askFor, type AskedPost, storeAllowed } from './ask-for-post.ts';
import { feeOf } from '../plans/fees.ts';
import type { PlanTerms } from '../plans/plan-terms.ts';
import { PLANS } from '../plans/plans.ts';
import { takeFreeSlot } from '../scheduling/slots.ts';
import { readScheduledFor } from '../scheduling/read-scheduled-for.ts';
import { stopOfCaller } from '../stops/find-stop.ts';
import { stopsCaller } from '../stops/stop-condition.ts';
import { timestampOrNull } from '../timestamp.ts';
import { findPost } from './find-post.ts';
import { connectionForPost } from './connection-for-post.ts';
import { plainResult, type PostResult } from './post-result.ts';
import type { PostRow } from './post-view.ts';
import { CONTENT, PostChanged, requireUnedited } from './post-changed.ts';
import type { PublishInput } from './publish-or-schedule.ts';

const movePost = statement('move a scheduled post to another time', {
  parameters: { postId: 'uuid', time: 'timestamptz', slot: 'timestamptz?', policyId: 'uuid?', callerId: 'uuid' },
  result: { left_time: 'timestamptz', ...CONTENT.types },
  sql: ({ postId, time, slot, policyId, callerId }) => `
    with present as (
      select id, scheduled_for from posts where id = ${postId} and status = 'scheduled' for no key update
    )
    update posts p set scheduled_for = ${time}, queued = ${slot} is not null, slot_at = ${slot},
      held = p.stop_id is not null, policy_id = coalesce(${policyId}, p.policy_id),
      repeats = 0, first_due_at = null
    from present o where p.id = o.id
      and not exists (select 1 from stops s where ${stopsCaller('s', { account: 'p.account_id', caller: callerId })})
    returning o.scheduled_for as left_time, ${CONTENT.sql}`,
});

/**
 * Emits post.rescheduled (`requeued`) when the time changes.
 *
 * @returns the result; when the queue has no slot or the caller may not move it, the post keeps its time and has the error
 *   queue_empty, queue_full, policy_refused or stopped
 * @throws ServiceError not_found, invalid_request (no time, or the post is not waiting), post_not_cancellable (it is
 *   being sent), invalid_connection (its connection was moved out of the caller's profile)
 */
export async function reschedulePost(context: Context, caller: Caller, input: PublishInput): Promise<PostResult> {
  const time = readTime(context, input);
  const post = await findPost(context, caller, input.postId);
  if (post.status !== 'scheduled') throw notScheduled(post.status);
  const { terms } = await connectionForPost(context, caller, post);
  const move = { post, time, feeCents: feeWhenDue(context, post, terms) };
  try {
    return await context.db.em().transactional((em: SqlEntityManager) => decide(context, em, caller, move));
  } catch (thrown) {
    if (!(thrown instanceof PostChanged)) throw thrown;
    const { status } = await findPost(context, caller, post.id);
    // It waits again, and was sent or edited in between.
    if (status === 'scheduled') return reschedulePost(context, caller, input);
    throw notScheduled(status === 'cancelled' || status === 'draft' ? status : 'processing');
  }
}

interface Move {
  readonly post: PostRow;
  /** Null for the next free slot. */
  readonly time: Date | null;
  readonly feeCents: number;
}

/** What the post costs once it is due, which a policy counts in the month of the new time. */
function feeWhenDue(context: Context, post: PostRow, { plan }: PlanTerms): number {
  const isFree = post.mode === 'test' || !PLANS[plan].fees;
  return isFree ? 0 : feeOf(context, { platformId: post.platform_id, text: post.text });
}

async function decide(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  { post, time, feeCents }: Move,
): Promise<PostResult> {
  const { id: callerId } = identityOf(caller);
  // A post that a stop is about can be moved and stays held. The post of another caller would go out.
  const stop = await stopOfCaller(em, { accountId: caller.accountId, callerId });
  if (stop !== null) return { ...waiting(post, post.scheduled_for), error: stop };
  const plan = { scheduledFor: time, queue: time === null };
  const ruling = await ruleOnPost(context, em, caller, post, plan);
  if (ruling.refusal !== null) return { ...waiting(post, post.scheduled_for), error: ruling.refusal };
  const permission = await permissionOf(context, em, caller, 1, ruling.cause);
  const asked: AskedPost = { post, from: 'scheduled', ...plan, policyId: ruling.policyId };
  if (permission.kind === 'asks') return askFor(context, em, caller, permission, asked);
  const mayGoOut = (at: Date) => ruling.refusalAt(at, feeCents);
  const slot = time === null ? await takeFreeSlot(em, post.connection_id, context.clock.now(), mayGoOut) : null;
  const error = slot instanceof Date ? null : (slot ?? (time === null ? null : mayGoOut(time)));
  if (error !== null) {
    await returnAllowance(em, caller, permission, 1);
    return { ...waiting(post, post.scheduled_for), error };
  }
  await storeAllowed(context, em, caller, permission, asked);
  const moved = slot instanceof Date ? slot : (time as Date);
  const { policyId } = ruling;
  const place = { time: moved, slot: time === null ? moved : null };
  const [row] = await movePost(em, { postId: post.id, ...place, policyId, callerId });
  requireUnedited(row, post);
  await followPolicy(em, post, ruling);
  if (new Date(row.left_time).getTime() !== moved.getTime()) {
    await storeEvents(em, [rescheduledEvent(context, post, moved, 'requeued')]);
  }
  return waiting(post, moved);
}

/** Null for the next free slot. */
function readTime(context: Context, input: PublishInput): Date | null {
  const time = readScheduledFor(input, context.clock.now());
  if ((time === null) === (input.queue === true)) return time;
  const what = time === null ? 'expected scheduledFor, or queue: true' : 'send scheduledFor or queue: true, not both';
  throw new ServiceError('invalid_request', `body: ${what}.`);
}

function waiting({ connection_slug: slug, id }: PostRow, time: Date | string | null): PostResult {
  return { ...plainResult(slug, 'scheduled', id), scheduledFor: timestampOrNull(time) };
}

function notScheduled(status: PostRow['status']): ServiceError {
  return status === 'processing'
    ? new ServiceError('post_not_cancellable', 'A worker is sending this post, so it can no longer be moved.')
    : new ServiceError('invalid_request', `Only a scheduled post can be moved to another time; this one is ${status}.`);
}
