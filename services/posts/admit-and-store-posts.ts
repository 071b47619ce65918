/**
 * Admits validated posts and stores them in one transaction. It decides whether the plan admits each post, which queue
 * slot the post takes, and whether it is sent now. Deciding and storing in one transaction keeps two requests from
 * taking the last place of a day or of a queue.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { ItemError } from '../../errors/item-error.ts';
import type { PostTarget } from '../connections/resolve-slugs.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { identityOf } from '../access/identity.ts';
import { isSupervised } from '../access/limits.ts';
import type { ApprovalView } from '../approvals/approval-view.ts';
import {
  type ApprovalRequest,
  returnAllowance,
  type Permission,
  permissionOf,
  storeApprovals,
} from '../approvals/request-approval.ts';
import { altTextOf } from '../media/check-media.ts';
import { holdMedia } from '../media/hold-media.ts';
import { type Admission, admitPosts, FREE_OF_CHARGE } from '../plans/admit-posts.ts';
import { holdPolicy, NO_POLICY, type PolicyCheck, refusalOf } from '../policies/policy-check.ts';
import { lockQueues, slotFor } from '../scheduling/slots.ts';
import { timestampOrNull } from '../timestamp.ts';
import { type CheckedInput, type CheckedSlug, contentFor, intentsOf } from './check-slugs.ts';
import { policyPostFor, questionOf } from './policy-of-post.ts';
import { plainResult, type PostResult, refusedResult } from './post-result.ts';
import { replacedBy, replaceDrafts } from './replace-drafts.ts';
import { type Accepted, isMetered, isPublished, planOf, ruleOnRequest } from './rule-on-request.ts';
import { isStored, type StoredResult, type StoringRequest } from './store-and-send.ts';
import { deletedMeanwhile, type NewPost, storePosts, type WithPostInserts } from './store-posts.ts';

/** A checked request to create posts. */
export interface CheckedRequest extends StoringRequest {
  readonly checked: CheckedInput;
  readonly slugs: readonly CheckedSlug[];
}

/**
 * Stores the posts through `outer`. Opens a transaction first if an admission, a lock on images or a queue slot is
 * needed.
 *
 * @returns what each slug has then, in the order of the slugs
 */
export function admitAndStorePosts(
  context: Context & WithPostInserts,
  outer: SqlEntityManager,
  caller: Caller,
  request: CheckedRequest,
): Promise<StoredResult[]> {
  const { input, media } = request.checked;
  const { replaces = [] } = input;
  const publishes = isPublished(request);
  const metered = isMetered(context, request);
  const store = async (em: SqlEntityManager) => {
    const policy = publishes ? await holdPolicy(context, em, caller, questionOf(context, planOf(request))) : NO_POLICY;
    const { slugs, accepted, permission } = await ruleOnRequest(policy, request, (posts, cause) =>
      permissionOf(context, em, caller, posts, cause),
    );
    const asks = permission.kind === 'asks';
    const mediaIds = media.map(({ id }) => id);
    // Keeps the images from being deleted between their check and the insert of the post that references them.
    if (media.length > 0) await holdMedia(em, mediaIds);
    const admissions =
      metered && !asks
        ? await admit(context, em, caller, request.checked, accepted)
        : accepted.map(() => FREE_OF_CHARGE);
    const timed = asks
      ? { slots: null, admissions }
      : await takeTimes(context, em, { policy, request, accepted, admissions });
    const prepared = accepted.map(({ slug, target }, index): [string, NewPost | ItemError] => {
      const admission = timed.admissions[index] ?? FREE_OF_CHARGE;
      const slot = timed.slots?.[index] ?? null;
      const { policyId } = policy;
      return [slug, preparePost(context, caller, request.checked, { target, admission, slot, permission, policyId })];
    });
    const posts = new Map(prepared);
    const results = await storePrepared(context, em, caller, { ...request, slugs }, { posts, permission });
    await returnAllowance(em, caller, permission, accepted.length - results.filter(isStored).length);
    await replaceDrafts(em, caller, replaces, replacedBy(slugs, results));
    return results;
  };
  const asked = publishes && isSupervised(caller);
  const needsTransaction = metered || asked || media.length > 0 || input.queue === true || replaces.length > 0;
  return needsTransaction ? outer.transactional(store) : store(outer);
}

function admit(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  checked: CheckedInput,
  accepted: readonly Accepted[],
): Promise<Admission[]> {
  const targets = accepted.map(({ target }) => target);
  return admitPosts(context, em, caller.accountId, intentsOf(caller, checked, targets));
}

/** What the posts of a request are, once the policy and the plan have looked at each. */
interface Accepting {
  readonly policy: PolicyCheck;
  readonly request: CheckedRequest;
  readonly accepted: readonly Accepted[];
  readonly admissions: readonly Admission[];
}

/**
 * Gives each admitted post its time, by the rules of the policy. Returns the slots, if the request is for the queue, and the
 * admissions with the refusals of the policy.
 */
async function takeTimes(
  context: Context,
  em: SqlEntityManager,
  { policy, request, accepted, admissions }: Accepting,
): Promise<{ slots: (Date | ItemError)[] | null; admissions: readonly Admission[] }> {
  const now = context.clock.now();
  const { scheduledFor, queue: queued } = planOf(request);
  const postOf = ({ target }: Accepted, admission: Admission) =>
    policyPostFor(request.checked, target, admission.error === null ? admission.feeCents : 0);
  if (!queued) {
    const at = scheduledFor ?? now;
    const decided = accepted.map((slug, index): Admission => {
      const admission = admissions[index] ?? FREE_OF_CHARGE;
      const post = postOf(slug, admission);
      const error = admission.error ?? refusalOf(policy.atTime(post, at));
      if (error !== null) return { error };
      policy.count(post, at);
      return admission;
    });
    return { slots: null, admissions: decided };
  }
  const admitted = accepted.filter((_slug, index) => admissions[index]?.error === null).map(({ target }) => target.id);
  const queues = await lockQueues(em, admitted, now);
  const slots = accepted.map((slug, index): Date | ItemError => {
    const queue = queues.get(slug.target.id);
    if (queue === undefined) return deletedMeanwhile(slug.slug);
    const post = postOf(slug, admissions[index] ?? FREE_OF_CHARGE);
    const slot = slotFor(queue, now, (at) => refusalOf(policy.atTime(post, at)));
    if (slot instanceof Date) policy.count(post, slot);
    return slot;
  });
  return { slots, admissions };
}

/** What was decided about a post. */
interface Terms {
  readonly target: PostTarget;
  readonly admission: Admission;
  readonly slot: Date | ItemError | null;
  readonly permission: Permission;
  readonly policyId: string | null;
}

/** The post to store for one connection, or why it gets none. */
function preparePost(
  context: Context,
  caller: Caller,
  checked: CheckedInput,
  { target, admission, slot, permission, policyId }: Terms,
): NewPost | ItemError {
  if (admission.error !== null) return admission.error;
  if (slot !== null && !(slot instanceof Date)) return slot;
  const { input, media } = checked;
  const asks = permission.kind === 'asks';
  const scheduledFor = asks ? null : (slot ?? checked.scheduledFor);
  const status = input.isDraft === true || asks ? 'draft' : scheduledFor === null ? 'processing' : 'scheduled';
  const { text, thread, firstComment } = contentFor(checked, target);
  const post = {
    id: context.random.uuid(),
    accountId: caller.accountId,
    profileId: target.profileId,
    connectionSlug: target.slug,
    platformId: target.platformId,
    mode: caller.mode,
    text,
    thread: [...thread],
    firstComment,
    aiRewriteStatus: null,
    tags: [...(input.tags ?? [])],
    mediaCount: media.length,
    scheduledFor,
    createdAt: context.clock.now(),
    generation: 0,
    repeats: 0,
    firstDueAt: null,
    feeCents: status === 'processing' ? admission.feeCents : 0,
  };
  return {
    post,
    connection: target,
    status,
    rewrite: input.rewrite ?? null,
    slotAt: slot,
    media,
    approvalId: permission.kind === 'free' ? null : context.random.uuid(),
    createdBy: identityOf(caller),
    policyId,
  };
}

async function storePrepared(
  context: Context & WithPostInserts,
  em: SqlEntityManager,
  caller: Caller,
  { checked, slugs, recordId, claim }: CheckedRequest,
  { posts: prepared, permission }: Prepared,
): Promise<StoredResult[]> {
  const posts = [...prepared.values()].filter((one): one is NewPost => 'post' in one);
  const { sends, refused } = await storePosts(context, em, posts, { recordId, claim });
  const stored = posts.filter(({ post }) => !refused.has(post.id));
  const approvals =
    permission.kind === 'free'
      ? NO_APPROVALS
      : await storeApprovals(context, em, caller, permission, requestsFor(checked, stored));
  return slugs.map(({ slug, error }): StoredResult => {
    const outcome = error ?? prepared.get(slug);
    if (outcome === undefined) throw new Error(`the slug ${slug} has neither a connection nor an error`);
    if (!('post' in outcome)) return refusedResult(slug, outcome);
    const refusal = refused.get(outcome.post.id);
    if (refusal !== undefined) return refusedResult(slug, refusal);
    return (
      sends.get(outcome.post.id) ??
      waitingResult(outcome, permission.kind === 'asks' ? approvals.get(outcome.post.id) : undefined)
    );
  });
}

interface Prepared {
  readonly posts: ReadonlyMap<string, NewPost | ItemError>;
  readonly permission: Permission;
}

const NO_APPROVALS: ReadonlyMap<string, ApprovalView> = new Map();

function requestsFor({ input, scheduledFor }: CheckedInput, posts: readonly NewPost[]): ApprovalRequest[] {
  return posts.flatMap(({ post, media, approvalId }) => {
    if (approvalId === null) return [];
    const { text, thread, firstComment, profileId, connectionSlug, mode } = post;
    return {
      id: approvalId,
      postId: post.id,
      profileId,
      connectionSlug,
      mode,
      scheduledFor,
      queue: input.queue === true,
      content: {
        text,
        thread: [...thread],
        firstComment,
        media: media.map((image) => ({ id: image.id, altText: altTextOf(image) })),
      },
    };
  });
}

function waitingResult({ post, status }: NewPost, approval: ApprovalView | undefined): PostResult {
  const time = status === 'draft' ? null : post.scheduledFor;
  return {
    ...plainResult(post.connectionSlug, time === null ? 'draft' : 'scheduled', post.id),
    scheduledFor: timestampOrNull(time),
    ...(approval !== undefined && { approval }),
  };
}
