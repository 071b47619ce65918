/**
 * A row of the send ledger: one irreversible call to a platform, stored before the call and settled after it
 * (docs/contract/posts.md#interrupted-sends).
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { Json, JsonObject } from '../platforms/contract.ts';
import { id, instant } from './columns.ts';
import { Post } from './post.ts';

export const ATTEMPT_STEPS = ['head', 'reply', 'first_comment', 'delete'] as const;
export type AttemptStep = (typeof ATTEMPT_STEPS)[number];

/**
 * sending: no answer yet. accepted, rejected, unavailable: the platform's answer. unknown: the outcome cannot be
 * determined.
 */
export const ATTEMPT_STATES = ['sending', 'accepted', 'rejected', 'unavailable', 'unknown'] as const;
export type AttemptState = (typeof ATTEMPT_STATES)[number];

export const Attempt = defineEntity({
  name: 'Attempt',
  tableName: 'attempts',
  properties: {
    id: id(),
    postId: () => p.manyToOne(Post).mapToPk().fieldName('post_id'),
    /** Number of the send it belongs to (see `generation` of the post). */
    generation: p.integer().default(0),
    step: p.enum(ATTEMPT_STEPS),
    /** Position among the parts of the same step, from 0. */
    index: p.integer(),
    state: p.enum(ATTEMPT_STATES),
    /** Idempotency token: the platform recognises a repeated call by it. */
    token: p.string(),
    /** Result of uploading the images, stored so that every try creates the same post. */
    prepared: p.json<Json>().strictNullable(),
    startedAt: instant(),
    settledAt: instant().strictNullable(),
    platformPostId: p.text().strictNullable(),
    url: p.text().strictNullable(),
    /** What replies and deletions need in addition to the id. */
    ref: p.json<JsonObject>().strictNullable(),
    errorCode: p.string().strictNullable(),
    errorMessage: p.text().strictNullable(),
    /**
     * Whether an `unavailable` call may still arrive: its answer was lost, and the lookups found nothing. Null in other states,
     * in rows of before this was stored, and once a person has forced the next send.
     */
    mayHaveArrived: p.boolean().strictNullable(),
  },
  indexes: [
    { properties: ['postId', 'id'] },
    {
      name: 'attempts_open_index',
      expression: `create index "attempts_open_index" on "attempts" ("post_id") where ("state" = 'sending')`,
    },
  ],
});
export type Attempt = InferEntity<typeof Attempt>;
