/**
 * Claims the deletion of a sent post on its platform. One process makes the calls, even when several requests ask for
 * the deletion. The claim works as for a send, and each ledger row extends its lease.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { PostStatus } from '../../entities/post.ts';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { deletedEvent } from '../events/post-event.ts';
import { storeEvents } from '../events/store-events.ts';
import { countsOf, type PublishedPart } from './post-parts.ts';
import { POST_COLUMNS, type PostRow } from './post-view.ts';
import { leaseFrom } from './send-times.ts';

/** A post whose deletion is claimed. */
export type RemovablePost = PostRow & { readonly claim: string };

/** The current state of a post during its deletion. */
export interface RemovalState {
  readonly status: PostStatus;
  /** Claim of the process that is deleting it now; null when none is. */
  readonly claim: string | null;
}

const CLAIM = `
  update posts set claim = $2, claimed_until = $3
  where id = $1 and status = 'sent' and (claim is null or claimed_until <= $4)
  returning ${POST_COLUMNS}, claim`;

const CLAIM_INTERRUPTED = `
  with lost as (
    select id as lost_id from posts where status = 'sent' and claim is not null and ($5 or claimed_until <= $1)
    order by claimed_until limit $2 for update skip locked
  )
  update posts set claim = $3, claimed_until = $4 from lost where id = lost_id
  returning ${POST_COLUMNS}, claim`;

const STATE = 'select status, case when claimed_until > $2 then claim end as claim from posts where id = $1';

const RELEASE = `
  update posts set claim = null, claimed_until = null, thread_count = $3, has_first_comment = $4
  where id = $1 and claim = $2 and status = 'sent'`;

const MARK_DELETED = `
  update posts set status = 'deleted', deleted_at = $3, next_read_at = null, claim = null, claimed_until = null
  where id = $1 and claim = $2 and status = 'sent' returning id`;

/** @returns null when the post is no longer sent, or when another process is deleting it */
export async function claimRemoval(context: Context, postId: string): Promise<RemovablePost | null> {
  const now = context.clock.now();
  const parameters = [postId, context.random.uuid(), leaseFrom(now), now];
  const [row] = await query<RemovablePost>(context.db.em(), CLAIM, parameters);
  return row ?? null;
}

/**
 * Claims deletions whose process died.
 *
 * @param evenLeased true at the start of the embedded database's only process, when no other process can be deleting
 */
export function claimInterruptedRemovals(
  context: Context,
  limit: number,
  evenLeased = false,
): Promise<RemovablePost[]> {
  const now = context.clock.now();
  const parameters = [now, limit, context.random.uuid(), leaseFrom(now), evenLeased];
  return query<RemovablePost>(context.db.em(), CLAIM_INTERRUPTED, parameters);
}

/** @returns null when the post is gone */
export async function removalState(context: Context, postId: string): Promise<RemovalState | null> {
  const [row] = await query<RemovalState>(context.db.em(), STATE, [postId, context.clock.now()]);
  return row ?? null;
}

/** Releases the claim: the post stays sent, with the parts that are still published. */
export async function releaseRemoval(
  context: Context,
  post: RemovablePost,
  left: readonly PublishedPart[] | null,
): Promise<void> {
  const present = { threadCount: post.thread_count, hasFirstComment: post.has_first_comment };
  const content = { thread: post.thread, firstComment: post.first_comment };
  const { threadCount, hasFirstComment } = left === null ? present : countsOf(content, left.length);
  await query(context.db.em(), RELEASE, [post.id, post.claim, threadCount, hasFirstComment]);
}

/**
 * Marks the post as deleted; emits post.deleted.
 *
 * @returns false when the claim was lost; then nothing changes
 */
export function markDeleted(context: Context, post: RemovablePost): Promise<boolean> {
  const now = context.clock.now();
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    if ((await query(em, MARK_DELETED, [post.id, post.claim, now])).length === 0) return false;
    await storeEvents(em, [deletedEvent(context, post, now)]);
    return true;
  });
}
