/** A post to one connection, and the table of its status transitions (docs/contract/posts.md#statuses). */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { APPROVAL_ACTORS } from './approval-actors.ts';
import { id, instant } from './columns.ts';
import { Connection } from './connection.ts';

export const POST_STATUSES = ['sent', 'scheduled', 'processing', 'draft', 'failed', 'cancelled', 'deleted'] as const;
export type PostStatus = (typeof POST_STATUSES)[number];

/**
 * Result of AI polish. pending: requested, no result yet. rewritten: the model's text is sent. failed: the original is
 * sent. skipped: the type of post allows no rewrite.
 */
export const REWRITE_STATUSES = ['pending', 'rewritten', 'failed', 'skipped'] as const;

/** Why a pending post got a new time (docs/contract/webhooks.md#events). */
export const RESCHEDULE_REASONS = ['missed_slot', 'fair_use', 'requeued', 'catch_up', 'platform_unavailable'] as const;
export type RescheduleReason = (typeof RESCHEDULE_REASONS)[number];

/** One status transition: its two states, its cause, and the event that reports it. */
export interface PostTransition {
  readonly from: PostStatus;
  readonly to: PostStatus;
  readonly trigger: string;
  readonly event:
    | 'post.sent'
    | 'post.failed'
    | 'post.deleted'
    | 'post.rescheduled'
    | 'post.approval_requested'
    | 'post.approved'
    | null;
  /** Present with post.rescheduled. */
  readonly reason?: RescheduleReason;
}

/**
 * All status transitions of a stored post. No other ones happen (docs/contract/posts.md#statuses,
 * docs/contract/scheduling.md#late-posts, docs/contract/scheduling.md#slots).
 */
export const POST_TRANSITIONS: readonly PostTransition[] = [
  { from: 'scheduled', to: 'draft', trigger: 'a new time needs approval', event: 'post.approval_requested' },
  { from: 'failed', to: 'draft', trigger: 'a retry needs approval', event: 'post.approval_requested' },
  { from: 'draft', to: 'processing', trigger: 'approved, to go out now', event: 'post.approved' },
  { from: 'draft', to: 'scheduled', trigger: 'approved, for a time or the queue', event: 'post.approved' },
  { from: 'draft', to: 'processing', trigger: 'published now', event: null },
  { from: 'draft', to: 'scheduled', trigger: 'published at a time or into the queue', event: null },
  {
    from: 'draft',
    to: 'failed',
    trigger: 'published although it does not fit, or its connection is gone',
    event: 'post.failed',
  },
  { from: 'scheduled', to: 'processing', trigger: 'claimed when due', event: null },
  { from: 'scheduled', to: 'cancelled', trigger: 'cancelled, or its connection removed', event: null },
  { from: 'scheduled', to: 'failed', trigger: 'due, and a limit of the plan is reached', event: 'post.failed' },
  { from: 'scheduled', to: 'failed', trigger: 'due more than a day ago, or no slot left', event: 'post.failed' },
  {
    from: 'scheduled',
    to: 'scheduled',
    trigger: 'its slot was missed',
    event: 'post.rescheduled',
    reason: 'missed_slot',
  },
  {
    from: 'scheduled',
    to: 'scheduled',
    trigger: 'fair use deferred it',
    event: 'post.rescheduled',
    reason: 'fair_use',
  },
  {
    from: 'scheduled',
    to: 'scheduled',
    trigger: 'spaced out when late',
    event: 'post.rescheduled',
    reason: 'catch_up',
  },
  {
    from: 'scheduled',
    to: 'scheduled',
    trigger: 'rescheduled by its owner',
    event: 'post.rescheduled',
    reason: 'requeued',
  },
  { from: 'processing', to: 'sent', trigger: 'accepted by its platform', event: 'post.sent' },
  { from: 'processing', to: 'failed', trigger: 'refused, or its outcome is unknown', event: 'post.failed' },
  {
    from: 'processing',
    to: 'scheduled',
    trigger: 'its platform was not available, and it is repeated later',
    event: 'post.rescheduled',
    reason: 'platform_unavailable',
  },
  { from: 'sent', to: 'deleted', trigger: 'taken down', event: 'post.deleted' },
  { from: 'failed', to: 'processing', trigger: 'sent again now', event: null },
  { from: 'failed', to: 'scheduled', trigger: 'sent again later', event: 'post.rescheduled', reason: 'requeued' },
];

export const Post = defineEntity({
  name: 'Post',
  tableName: 'posts',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    connectionId: () => p.manyToOne(Connection).mapToPk().fieldName('connection_id'),
    /** Profile of the connection when the post was created. */
    profileId: p.uuid().strictNullable(),
    connectionSlug: p.string(),
    platformId: p.string(),
    /** Mode of the key that created it. */
    mode: p.enum(['live', 'test'] as const),
    status: p.enum(POST_STATUSES),
    text: p.text(),
    originalText: p.text(),
    /** In the given order; post_tags holds them too, for lists. */
    tags: p.array(),
    /** Replies to the head post, in order. */
    thread: p.array(),
    firstComment: p.text().strictNullable(),
    /** AI polish: true, false, or null for the connection's setting. */
    rewrite: p.boolean().strictNullable(),
    /** Null when AI polish was not requested at the time of the claim, or the post was not claimed yet. */
    aiRewriteStatus: p.enum(REWRITE_STATUSES).strictNullable(),
    /** Why the rewrite failed, for the sender of the post; null otherwise. */
    rewriteWarning: p.text().strictNullable(),
    /** Published replies. */
    threadCount: p.integer().default(0),
    hasFirstComment: p.boolean().default(false),
    /** Number of the send: each retry, manual or automatic, starts the next one, with separate ledger rows. */
    generation: p.integer().default(0),
    /** The first send of the present text and images. An earlier send that may have arrived published others. */
    contentGeneration: p.integer().default(0),
    /** Sends started so far. A send that another process recovered counts once. */
    tries: p.integer().default(0),
    /**
     * How often the current schedule was repeated because the platform was unavailable
     * (docs/contract/posts.md#busy-platforms).
     */
    repeats: p.integer().default(0),
    /** Due time before the first of these repeats; null when there was none. */
    firstDueAt: instant().strictNullable(),
    /** The request with an Idempotency-Key that created it; null without one. */
    idempotencyRecordId: p.uuid().strictNullable(),
    /** The latest request to approve it; null when it never needed one. */
    approvalId: p.uuid().strictNullable(),
    /** Who created it: the id of a key, a grant or a person; null for posts of before this was stored. */
    createdByKind: p.enum(APPROVAL_ACTORS).strictNullable(),
    createdById: p.uuid().strictNullable(),
    /** The policy of the key or grant that last asked to send it; null for none. */
    policyId: p.uuid().strictNullable(),
    url: p.text().strictNullable(),
    platformPostId: p.text().strictNullable(),
    errorCode: p.string().strictNullable(),
    errorMessage: p.text().strictNullable(),
    scheduledFor: instant().strictNullable(),
    /** Whether it waits in the queue of its connection, instead of having a manually set time. */
    queued: p.boolean().default(false),
    /** The queue slot it holds; null when it holds none. */
    slotAt: instant().strictNullable(),
    /** Whether it is held: it is due and its queue is paused, or a stop holds it. */
    held: p.boolean().default(false),
    /** The stop that holds it; null when none does. */
    stopId: p.uuid().strictNullable(),
    /** The fee for sending it, in cents, as calculated when its send started. */
    feeCents: p.integer().default(0),
    createdAt: instant(),
    sentAt: instant().strictNullable(),
    deletedAt: instant().strictNullable(),
    /**
     * Time of the next read of its metrics; null when there is none. While a worker reads them, the end of its lease.
     */
    nextReadAt: instant().strictNullable(),
    /** The end of the newest lease of its reads. A worker reads its metrics while it equals `nextReadAt`. */
    readLeaseUntil: instant().strictNullable(),
    /** Whether it is counted in the daily metrics. */
    counted: p.boolean().default(false),
    /** How often its reads of metrics were thinned (docs/contract/metrics.md#how-long-reads-are-kept). */
    readsThinned: p.integer().default(0),
    /** Fences a send, and the deletion of a sent post: only the holder of this token may settle the post. */
    claim: p.uuid().strictNullable(),
    /**
     * When a recovery may take over the claim. Of a failed post that no schedule dates and that may be out: when it was
     * settled, by which policies count it until it is published again.
     */
    claimedUntil: instant().strictNullable(),
  },
  indexes: [
    { properties: ['accountId', 'id'] },
    { properties: ['accountId', 'status', 'id'] },
    { properties: ['accountId', 'profileId', 'id'] },
    { properties: ['accountId', 'platformId', 'id'] },
    { properties: ['connectionId', 'id'] },
    {
      name: 'posts_idempotency_index',
      expression: `create index "posts_idempotency_index" on "posts" ("idempotency_record_id") where ("idempotency_record_id" is not null)`,
    },
    {
      name: 'posts_due_index',
      expression: `create index "posts_due_index" on "posts" ("scheduled_for", "id") where ("status" = 'scheduled' and not "held")`,
    },
    {
      name: 'posts_waiting_index',
      expression: `create index "posts_waiting_index" on "posts" ("connection_id", "status", "scheduled_for") where ("status" in ('scheduled', 'failed'))`,
    },
    {
      name: 'posts_sent_index',
      expression: `create index "posts_sent_index" on "posts" ("connection_id", "mode", "sent_at") where ("sent_at" is not null)`,
    },
    {
      name: 'posts_reached_index',
      expression: `create index "posts_reached_index" on "posts" ("sent_at") where ("status" = 'sent' and "mode" = 'live' and "platform_id" <> 'sandbox')`,
    },
    {
      name: 'posts_fee_index',
      expression: `create index "posts_fee_index" on "posts" ("sent_at") where ("fee_cents" > 0)`,
    },
    {
      name: 'posts_reads_index',
      expression: `create index "posts_reads_index" on "posts" ("next_read_at", "id") where ("next_read_at" is not null)`,
    },
    {
      name: 'posts_thinning_index',
      expression: `create index "posts_thinning_index" on "posts" ("reads_thinned", "sent_at") where ("sent_at" is not null and "reads_thinned" < 2)`,
    },
    {
      name: 'posts_uncounted_index',
      expression: `create index "posts_uncounted_index" on "posts" ("account_id", "sent_at") where ("sent_at" is not null and not "counted")`,
    },
    {
      // The calendar and analytics find other posts by when they were accepted (services/posts/long-waits.ts).
      name: 'posts_long_wait_index',
      expression: `create index "posts_long_wait_index" on "posts" ("account_id", (coalesce("sent_at", "scheduled_for"))) where (coalesce("sent_at", "scheduled_for") - "created_at" > interval '31 days')`,
    },
    {
      name: 'posts_removal_index',
      expression: `create index "posts_removal_index" on "posts" ("claimed_until") where ("status" = 'sent' and "claim" is not null)`,
    },
    {
      name: 'posts_stop_index',
      expression: `create index "posts_stop_index" on "posts" ("stop_id") where ("stop_id" is not null)`,
    },
    {
      name: 'posts_policy_index',
      expression: `create index "posts_policy_index" on "posts" ("policy_id", (coalesce("sent_at", "claimed_until", "scheduled_for", "created_at"))) where ("policy_id" is not null)`,
    },
    {
      name: 'posts_lease_index',
      expression: `create index "posts_lease_index" on "posts" ("claimed_until") where ("status" = 'processing')`,
    },
  ],
  uniques: [
    {
      name: 'posts_slot_unique',
      expression: `create unique index "posts_slot_unique" on "posts" ("connection_id", "slot_at") where ("status" = 'scheduled' and "slot_at" is not null)`,
    },
  ],
});
export type Post = InferEntity<typeof Post>;
