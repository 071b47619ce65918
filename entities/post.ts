/** A post to one connection, and the table of the states it may pass through (spec: Post status). */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';
import { Connection } from './connection.ts';

export const POST_STATUSES = ['sent', 'scheduled', 'processing', 'draft', 'failed', 'cancelled', 'deleted'] as const;
export type PostStatus = (typeof POST_STATUSES)[number];

/** From which state a post may move to which. What is not here never happens. */
export const POST_TRANSITIONS: Readonly<Record<PostStatus, readonly PostStatus[]>> = {
  scheduled: ['processing', 'cancelled'],
  processing: ['sent', 'failed'],
  sent: ['deleted'],
  draft: ['processing', 'scheduled', 'failed'],
  failed: ['processing', 'scheduled'],
  cancelled: [],
  deleted: [],
};

export const Post = defineEntity({
  name: 'Post',
  tableName: 'posts',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    connectionId: () => p.manyToOne(Connection).mapToPk().fieldName('connection_id'),
    /** Profile the connection belonged to when the post was written. */
    profileId: p.uuid().nullable(),
    connectionSlug: p.string(),
    platformId: p.string(),
    /** Whether a live or a test key made it. */
    mode: p.enum(['live', 'test'] as const),
    status: p.enum(POST_STATUSES),
    text: p.text(),
    originalText: p.text(),
    tags: p.array(),
    /** Replies under the head post, in order. */
    thread: p.array(),
    firstComment: p.text().nullable(),
    /** Whether AI polish was asked for: true, false, or null for the connection's own setting. */
    rewrite: p.boolean().nullable(),
    /** Replies that are up. */
    threadCount: p.integer().default(0),
    hasFirstComment: p.boolean().default(false),
    /** Number of the send: a retry begins the next one, with a ledger of its own. */
    generation: p.integer().default(0),
    /** The request under an Idempotency-Key that made it; null without one. */
    idempotencyRecordId: p.uuid().nullable(),
    url: p.text().nullable(),
    platformPostId: p.text().nullable(),
    errorCode: p.string().nullable(),
    errorMessage: p.text().nullable(),
    scheduledFor: instant().nullable(),
    createdAt: instant(),
    sentAt: instant().nullable(),
    deletedAt: instant().nullable(),
    /** Fences the send: only who holds this token may settle the post. */
    claim: p.uuid().nullable(),
    /** When the claim may be taken over by a recovery. */
    claimedUntil: instant().nullable(),
  },
  indexes: [
    { properties: ['accountId', 'id'] },
    { properties: ['accountId', 'status', 'id'] },
    { properties: ['connectionId', 'id'] },
    { properties: ['tags'], type: 'gin' },
    {
      name: 'posts_idempotency_index',
      expression: `create index "posts_idempotency_index" on "posts" ("idempotency_record_id") where ("idempotency_record_id" is not null)`,
    },
    {
      name: 'posts_due_index',
      expression: `create index "posts_due_index" on "posts" ("scheduled_for", "id") where ("status" = 'scheduled')`,
    },
    {
      name: 'posts_lease_index',
      expression: `create index "posts_lease_index" on "posts" ("claimed_until") where ("status" = 'processing')`,
    },
  ],
});
export type Post = InferEntity<typeof Post>;
