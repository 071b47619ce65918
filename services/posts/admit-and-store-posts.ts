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
import { holdMedia } from '../media/hold-media.ts';
import { type Admission, admitPosts, FREE_OF_CHARGE, needsAdmission } from '../plans/admit-posts.ts';
import { lockQueues, nextFreeSlot, noSlot } from '../scheduling/slots.ts';
import { timestamp } from '../timestamp.ts';
import { type CheckedInput, type CheckedSlug, contentFor, intentsOf } from './check-slugs.ts';
import { replaceDrafts } from './replace-drafts.ts';
import { openResult, type PostResult, refusedResult } from './post-result.ts';
import type { StoredResult } from './store-and-send.ts';
import { type NewPost, storePosts } from './store-posts.ts';

/** A checked request to create posts. */
export interface CheckedRequest {
  readonly checked: CheckedInput;
  readonly slugs: readonly CheckedSlug[];
  /** The record of its Idempotency-Key; null without one. */
  readonly recordId: string | null;
}

/** A connection that a post is created for. */
type Accepted = CheckedSlug & { readonly target: PostTarget; readonly error: null };

/**
 * Stores the posts through `outer`. Opens a transaction first if an admission, a lock on images or a queue slot is
 * needed.
 *
 * @returns what each slug has then, in the order of the slugs
 */
export function admitAndStorePosts(
  context: Context,
  outer: SqlEntityManager,
  caller: Caller,
  request: CheckedRequest,
): Promise<StoredResult[]> {
  const { input, media } = request.checked;
  const { replaces = [] } = input;
  const accepted = request.slugs.filter((slug): slug is Accepted => slug.target !== null && slug.error === null);
  const metered =
    input.isDraft !== true && accepted.some(({ target }) => needsAdmission(context, target.terms, target.platformId));
  const store = async (em: SqlEntityManager) => {
    const mediaIds = media.map(({ id }) => id);
    // Keeps the images from being deleted between their check and the insert of the post that references them.
    if (media.length > 0) await holdMedia(em, mediaIds);
    const admissions = metered
      ? await admit(context, em, caller, request.checked, accepted)
      : accepted.map(() => FREE_OF_CHARGE);
    const slots = input.queue === true ? await takeSlots(context, em, accepted, admissions) : null;
    const prepared = accepted.map(({ slug, target }, index): [string, NewPost | ItemError] => {
      const admission = admissions[index] ?? FREE_OF_CHARGE;
      return [slug, preparePost(context, caller, request.checked, target, admission, slots?.[index] ?? null)];
    });
    const posts = new Map(prepared);
    const results = await storePrepared(context, em, request, posts);
    await replaceDrafts(em, caller, replaces, refusedConnections(request.slugs, posts));
    return results;
  };
  const needsTransaction = metered || media.length > 0 || input.queue === true || replaces.length > 0;
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

/** Returns a slot for each admitted post, or the error of its queue. */
async function takeSlots(
  context: Context,
  em: SqlEntityManager,
  accepted: readonly Accepted[],
  admissions: readonly Admission[],
): Promise<(Date | ItemError)[]> {
  const now = context.clock.now();
  const admitted = accepted.filter((_slug, index) => admissions[index]?.error === null).map(({ target }) => target.id);
  const queues = await lockQueues(em, admitted, now);
  return accepted.map(({ slug, target }) => {
    const queue = queues.get(target.id);
    if (queue !== undefined) return nextFreeSlot(queue, now) ?? noSlot(queue);
    return { code: 'invalid_connection', message: `The connection "${slug}" was deleted during the request.` };
  });
}

/** The post to store for one connection, or why it gets none. */
function preparePost(
  context: Context,
  caller: Caller,
  checked: CheckedInput,
  target: PostTarget,
  admission: Admission,
  slot: Date | ItemError | null,
): NewPost | ItemError {
  if (admission.error !== null) return admission.error;
  if (slot !== null && !(slot instanceof Date)) return slot;
  const { input, media } = checked;
  const scheduledFor = slot ?? checked.scheduledFor;
  const status = input.isDraft === true ? 'draft' : scheduledFor === null ? 'processing' : 'scheduled';
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
  return { post, connection: target, status, rewrite: input.rewrite ?? null, slotAt: slot, media };
}

/** Ids of the connections that were named and get no post. */
function refusedConnections(
  slugs: readonly CheckedSlug[],
  prepared: ReadonlyMap<string, NewPost | ItemError>,
): string[] {
  return slugs.flatMap(({ slug, target }) => {
    const post = prepared.get(slug);
    return target === null || (post !== undefined && 'post' in post) ? [] : [target.id];
  });
}

async function storePrepared(
  context: Context,
  em: SqlEntityManager,
  { slugs, recordId }: CheckedRequest,
  prepared: ReadonlyMap<string, NewPost | ItemError>,
): Promise<StoredResult[]> {
  const posts = [...prepared.values()].filter((one): one is NewPost => 'post' in one);
  const sends = await storePosts(context, em, posts, recordId);
  return slugs.map(({ slug, error }): StoredResult => {
    const outcome = error ?? prepared.get(slug);
    if (outcome === undefined) throw new Error(`the slug ${slug} has neither a connection nor an error`);
    if (!('post' in outcome)) return refusedResult(slug, outcome);
    return sends.get(outcome.post.id) ?? waitingResult(outcome);
  });
}

function waitingResult({ post, status }: NewPost): PostResult {
  const result = openResult(post.connectionSlug, post.id);
  if (status === 'draft' || post.scheduledFor === null) return { ...result, status: 'draft' };
  return { ...result, status: 'scheduled', scheduledFor: timestamp(post.scheduledFor) };
}
