/**
 * Claims the deletion of a sent post on its platform. One process makes the calls, even when several requests ask for
 * the deletion. The claim works as for a send, and each ledger row extends its lease.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { PostStatus } from '../../entities/post.ts';
import { column, columns } from '../../entities/column-lists.ts';
import { type RowOf, type Statement, statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { deletedEvent } from '../events/post-event.ts';
import { storeEvents } from '../events/store-events.ts';
import { countsOf, type PublishedPart } from './post-parts.ts';
import { leaseFrom } from './send-times.ts';

const POST = columns('posts', [
  'id',
  'account_id',
  'profile_id',
  'connection_id',
  'connection_slug',
  'platform_id',
  'mode',
  'thread',
  'first_comment',
  'thread_count',
  'has_first_comment',
  'generation',
]);

const REMOVABLE_TYPES = { ...POST.types, claim: 'uuid' } as const;

/** A post whose deletion is claimed. */
export type RemovablePost = RowOf<Statement<{}, typeof REMOVABLE_TYPES>>;

/** The current state of a post during its deletion. */
export interface RemovalState {
  readonly status: PostStatus;
  /** Claim of the process that is deleting it now; null when none is. */
  readonly claim: string | null;
}

const claimSent = statement('claim the deletion of a sent post', {
  parameters: { postId: 'uuid', claim: 'uuid', claimedUntil: 'timestamptz', now: 'timestamptz' },
  result: REMOVABLE_TYPES,
  sql: ({ postId, claim, claimedUntil, now }) => `
    update posts set claim = ${claim}, claimed_until = ${claimedUntil}
    where id = ${postId} and status = 'sent' and (claim is null or claimed_until <= ${now})
    returning ${POST.sql}, claim`,
});

const claimInterrupted = statement('claim interrupted deletions', {
  parameters: { now: 'timestamptz', limit: 'int', claim: 'uuid', claimedUntil: 'timestamptz', evenLeased: 'boolean' },
  result: REMOVABLE_TYPES,
  sql: ({ now, limit, claim, claimedUntil, evenLeased }) => `
    with lost as (
      select id as lost_id from posts
      where status = 'sent' and claim is not null and (${evenLeased} or claimed_until <= ${now})
      order by claimed_until limit ${limit} for update skip locked
    )
    update posts set claim = ${claim}, claimed_until = ${claimedUntil} from lost where id = lost_id
    returning ${POST.sql}, claim`,
});

const selectState = statement('read the state of a deletion', {
  parameters: { postId: 'uuid', now: 'timestamptz' },
  result: { status: column('posts', 'status'), claim: 'uuid?' },
  sql: ({ postId, now }) => `
    select status, case when claimed_until > ${now} then claim end as claim from posts where id = ${postId}`,
});

const release = statement('release the claim of a deletion', {
  parameters: { postId: 'uuid', claim: 'uuid', threadCount: 'int', hasFirstComment: 'boolean' },
  sql: ({ postId, claim, threadCount, hasFirstComment }) => `
    update posts set claim = null, claimed_until = null, thread_count = ${threadCount},
      has_first_comment = ${hasFirstComment}
    where id = ${postId} and claim = ${claim} and status = 'sent'`,
});

const settleDeleted = statement('settle a deletion', {
  parameters: { postId: 'uuid', claim: 'uuid', now: 'timestamptz' },
  result: { id: 'uuid' },
  sql: ({ postId, claim, now }) => `
    update posts set status = 'deleted', deleted_at = ${now}, next_read_at = null, claim = null, claimed_until = null
    where id = ${postId} and claim = ${claim} and status = 'sent' returning id`,
});

/** @returns null when the post is no longer sent, or when another process is deleting it */
export async function claimRemoval(context: Context, postId: string): Promise<RemovablePost | null> {
  const now = context.clock.now();
  const claim = context.random.uuid();
  const [row] = await claimSent(context.db.queries, { postId, claim, claimedUntil: leaseFrom(now), now });
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
  const claim = context.random.uuid();
  return claimInterrupted(context.db.queries, { now, limit, claim, claimedUntil: leaseFrom(now), evenLeased });
}

/** @returns null when the post is gone */
export async function removalState(context: Context, postId: string): Promise<RemovalState | null> {
  const [row] = await selectState(context.db.queries, { postId, now: context.clock.now() });
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
  const { id: postId, claim } = post;
  await release(context.db.queries, { postId, claim, threadCount, hasFirstComment });
}

/**
 * Marks the post as deleted; emits post.deleted.
 *
 * @returns false when the claim was lost; then nothing changes
 */
export function markDeleted(context: Context, post: RemovablePost): Promise<boolean> {
  const now = context.clock.now();
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const settled = await settleDeleted(em, { postId: post.id, claim: post.claim, now });
    if (settled.length === 0) return false;
    await storeEvents(em, [deletedEvent(context, post, now)]);
    return true;
  });
}
