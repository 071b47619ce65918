/**
 * Admits validated posts and stores them in one transaction. It decides whether the plan admits each post, which queue
 * slot the post takes, and whether it is sent now. Deciding and storing in one transaction keeps two requests from
 * taking the last place of a day or of a queue.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { RewriteStatus } from '../../entities/post.ts';
import { admitPosts, type Admission, FREE_OF_CHARGE, needsAdmission } from '../plans/admit-posts.ts';
import type { PostTarget } from '../connections/resolve-slugs.ts';
import type { Context } from '../context.ts';
import type { KeptResult } from '../idempotency/idempotency.ts';
import type { Caller } from '../keys/caller.ts';
import { holdMedia } from '../media/hold-media.ts';
import { lockQueues, nextFreeSlot, noSlot } from '../queue/slots.ts';
import { timestamp } from '../timestamp.ts';
import { type CheckedInput, type CheckedSlug, contentFor } from './check-slugs.ts';
import { intentsOf } from './post-intents.ts';
import { openResult, refusedResult } from './post-result.ts';
import type { PartError } from './send-part.ts';
import { preparePosts, type NewPost, type StoredPost, storePosts } from './store-posts.ts';

export interface AdmittedPosts {
  /** The result for each slug, in the order of the slugs. */
  readonly kept: readonly KeptResult[];
  /** The stored posts. */
  readonly stored: readonly StoredPost[];
}

/** A connection that a post is created for. */
type Accepted = CheckedSlug & { readonly target: PostTarget; readonly error: null };

/**
 * Stores the posts through `outer`. Opens a transaction first if an admission, a lock on images or a queue slot is
 * needed.
 */
export function admitAndStorePosts(
  context: Context,
  outer: SqlEntityManager,
  caller: Caller,
  checked: CheckedInput,
  slugs: readonly CheckedSlug[],
  recordId: string | null,
): Promise<AdmittedPosts> {
  const accepted = slugs.filter((slug): slug is Accepted => slug.target !== null && slug.error === null);
  const { input, media } = checked;
  const metered =
    input.isDraft !== true && accepted.some(({ target }) => needsAdmission(context, target.terms, target.platformId));
  const place = async (em: SqlEntityManager) => {
    const mediaIds = media.map(({ id }) => id);
    // Keeps the images from being deleted between their check and the insert of the post that references them.
    if (media.length > 0) await holdMedia(em, mediaIds);
    const admissions = metered
      ? await admit(context, em, caller, checked, accepted)
      : accepted.map(() => FREE_OF_CHARGE);
    const slots = input.queue === true ? await takeSlots(context, em, accepted, admissions) : null;
    return store(context, em, caller, { checked, slugs, accepted, admissions, slots, recordId });
  };
  return metered || media.length > 0 || input.queue === true ? outer.transactional(place) : place(outer);
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

/** Returns a slot for each admitted post, or the error of its queue. */
async function takeSlots(
  context: Context,
  em: SqlEntityManager,
  accepted: readonly Accepted[],
  admissions: readonly Admission[],
): Promise<(Date | PartError)[]> {
  const now = context.clock.now();
  const admitted = accepted.filter((_slug, index) => admissions[index]?.error === null).map(({ target }) => target.id);
  const queues = await lockQueues(em, admitted, now);
  return accepted.map(({ target }) => {
    const queue = queues.get(target.id);
    return queue === undefined ? goneError(target.slug) : (nextFreeSlot(queue, now) ?? noSlot(queue));
  });
}

interface Decided {
  readonly checked: CheckedInput;
  readonly slugs: readonly CheckedSlug[];
  readonly accepted: readonly Accepted[];
  readonly admissions: readonly Admission[];
  /** Null when the posts take no slots. */
  readonly slots: readonly (Date | PartError)[] | null;
  readonly recordId: string | null;
}

async function store(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  { checked, slugs, accepted, admissions, slots, recordId }: Decided,
): Promise<AdmittedPosts> {
  const errors = new Map<string, PartError>();
  const posts: NewPost[] = [];
  for (const [index, { target }] of accepted.entries()) {
    const admission = admissions[index] ?? FREE_OF_CHARGE;
    const slot = slots?.[index] ?? null;
    if (admission.error !== null) errors.set(target.id, admission.error);
    else if (slot !== null && !(slot instanceof Date)) errors.set(target.id, slot);
    else posts.push(newPost(caller, checked, target, slot, admission.feeCents));
  }
  const stored = preparePosts(context, posts);
  await storePosts(context, em, posts, stored, recordId);
  const byTarget = new Map(posts.map((post, index) => [post.target.id, { post, stored: stored[index] as StoredPost }]));
  const kept = slugs.map(({ slug, target, error }): KeptResult => {
    const made = byTarget.get(target?.id ?? '');
    if (made !== undefined) return keptResult(slug, made.post, made.stored);
    return refusedResult(slug, error ?? errors.get(target?.id ?? '') ?? goneError(slug));
  });
  return { kept, stored };
}

function newPost(
  caller: Caller,
  checked: CheckedInput,
  target: PostTarget,
  slot: Date | null,
  feeCents: number,
): NewPost {
  const { input, media } = checked;
  const { text, thread, firstComment } = contentFor(checked, target);
  const scheduledFor = slot ?? checked.scheduledFor;
  const status = input.isDraft === true ? 'draft' : scheduledFor === null ? 'processing' : 'scheduled';
  return {
    accountId: caller.accountId,
    target,
    mode: caller.mode,
    text,
    thread,
    firstComment,
    tags: input.tags ?? [],
    rewrite: input.rewrite ?? null,
    rewriteStatus: status === 'processing' ? decidedRewrite(input, target) : null,
    media,
    status,
    scheduledFor,
    slotAt: slot,
    feeCents: status === 'processing' ? feeCents : 0,
  };
}

/** Same decision as the one that a claim makes for a stored post. */
function decidedRewrite({ rewrite, thread = [] }: CheckedInput['input'], target: PostTarget): RewriteStatus | null {
  if (!(rewrite ?? target.wantsRewrite)) return null;
  return thread.length > 0 ? 'skipped' : 'pending';
}

function keptResult(slug: string, { status, scheduledFor }: NewPost, { id, claimed }: StoredPost): KeptResult {
  if (claimed !== null) return { pending: id };
  if (status === 'draft' || scheduledFor === null) return { ...openResult(slug, id), status: 'draft' };
  return { ...openResult(slug, id), status: 'scheduled', scheduledFor: timestamp(scheduledFor) };
}

function goneError(slug: string): PartError {
  return { code: 'invalid_connection', message: `The connection "${slug}" was deleted meanwhile.` };
}
