/** A request to send a post, which a person decides on (docs/contract/approvals.md). */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { JsonObject } from '../platforms/contract.ts';
import { Account } from './account.ts';
import { APPROVAL_ACTORS } from './approval-actors.ts';
import { id, instant } from './columns.ts';
import { Post } from './post.ts';

/**
 * pending: not decided yet. approved: the plan was carried out. rejected: a person refused it. expired: not decided
 * in time. void: the draft was edited or published, or failed, or the key or grant that asked has ended.
 */
export const APPROVAL_STATES = ['pending', 'approved', 'rejected', 'expired', 'void'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

export const Approval = defineEntity({
  name: 'Approval',
  tableName: 'approvals',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    profileId: p.uuid().strictNullable(),
    mode: p.enum(['live', 'test'] as const),
    postId: () => p.manyToOne(Post).mapToPk().deleteRule('cascade').fieldName('post_id'),
    state: p.enum(APPROVAL_STATES),
    /** When the post is to go out: at this instant; null for now, or for a slot. */
    scheduledFor: instant().strictNullable(),
    /** Whether it is to take the next free slot of its connection. */
    queue: p.boolean(),
    /** What was to go out, for the difference to a later version. */
    content: p.json<JsonObject>(),
    requestedAt: instant(),
    expiresAt: instant(),
    requestedByKind: p.enum(APPROVAL_ACTORS),
    /** Id of the key, grant or person. */
    requestedById: p.uuid(),
    requestedByName: p.text(),
    decidedAt: instant().strictNullable(),
    /** Null when no person decided: it expired, or what asked has ended. */
    decidedByKind: p.enum(APPROVAL_ACTORS).strictNullable(),
    decidedById: p.uuid().strictNullable(),
    decidedByName: p.text().strictNullable(),
    /** What the person wrote to the agent, or why it is void. */
    reason: p.text().strictNullable(),
    /** When owners got a mail about it; null before. */
    mailedAt: instant().strictNullable(),
  },
  indexes: [
    { properties: ['accountId', 'id'] },
    { properties: ['accountId', 'state', 'id'] },
    { properties: ['postId', 'id'] },
    {
      name: 'approvals_pending_index',
      expression: `create index "approvals_pending_index" on "approvals" ("account_id", "id") where ("state" = 'pending')`,
    },
    {
      name: 'approvals_requester_index',
      expression: `create index "approvals_requester_index" on "approvals" ("requested_by_id") where ("state" = 'pending')`,
    },
    {
      name: 'approvals_expiry_index',
      expression: `create index "approvals_expiry_index" on "approvals" ("expires_at") where ("state" = 'pending')`,
    },
    {
      name: 'approvals_mail_index',
      expression: `create index "approvals_mail_index" on "approvals" ("account_id", "requested_at") where ("state" = 'pending' and "mailed_at" is null)`,
    },
  ],
  uniques: [
    {
      name: 'approvals_pending_unique',
      expression: `create unique index "approvals_pending_unique" on "approvals" ("post_id") where ("state" = 'pending')`,
    },
  ],
});
export type Approval = InferEntity<typeof Approval>;
