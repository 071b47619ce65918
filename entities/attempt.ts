/** A row of the send ledger: one irreversible call to a platform, written before it and settled after (docs/contract/posts.md#interrupted-sends). */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { Json, JsonObject } from '../platforms/contract.ts';
import { id, instant } from './columns.ts';
import { Post } from './post.ts';

export const ATTEMPT_STEPS = ['head', 'reply', 'first_comment', 'delete'] as const;
export type AttemptStep = (typeof ATTEMPT_STEPS)[number];

/** sending: no answer yet. accepted, rejected, unavailable: what the platform said. unknown: nobody can say. */
export const ATTEMPT_STATES = ['sending', 'accepted', 'rejected', 'unavailable', 'unknown'] as const;
export type AttemptState = (typeof ATTEMPT_STATES)[number];

export const Attempt = defineEntity({
  name: 'Attempt',
  tableName: 'attempts',
  properties: {
    id: id(),
    postId: () => p.manyToOne(Post).mapToPk().fieldName('post_id'),
    /** Number of the send it belongs to (see the post's own). */
    generation: p.integer().default(0),
    step: p.enum(ATTEMPT_STEPS),
    /** Position among the parts of the same step, from 0. */
    index: p.integer(),
    state: p.enum(ATTEMPT_STATES),
    /** What makes a repeat of the call recognisable to the platform. */
    token: p.string(),
    /** What uploading the images gave, kept so that every try makes the same post. */
    prepared: p.json<Json>().nullable(),
    startedAt: instant(),
    settledAt: instant().nullable(),
    platformPostId: p.text().nullable(),
    url: p.text().nullable(),
    /** What replies and deletes need besides the id. */
    ref: p.json<JsonObject>().nullable(),
    errorCode: p.string().nullable(),
    errorMessage: p.text().nullable(),
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
