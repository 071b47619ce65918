/** A post on a timeline of the sandbox: what the sandbox, as a platform, has accepted. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { TimelineImage } from '../platforms/timeline.ts';
import { id, instant } from './columns.ts';

export const SandboxPost = defineEntity({
  name: 'SandboxPost',
  tableName: 'sandbox_posts',
  properties: {
    id: id(),
    /** The sandbox account, which is the connection's id: every sandbox connection is a separate account. */
    accountId: p.uuid(),
    handle: p.string(),
    text: p.text(),
    /** The token of the send: a repeated call finds the post of the first one. */
    token: p.string(),
    /** How often the sandbox was called with this token; more than once only after a recovery. */
    calls: p.integer(),
    /** Its images, in order; the bytes stay in the media store. */
    images: p.json<readonly TimelineImage[]>(),
    /** The post that it replies to; null for a post. */
    rootId: p.uuid().strictNullable(),
    createdAt: instant(),
    deletedAt: instant().strictNullable(),
  },
  indexes: [
    { properties: ['accountId', 'id'] },
    {
      name: 'sandbox_posts_root_id_index',
      expression: `create index "sandbox_posts_root_id_index" on "sandbox_posts" ("root_id", "id") where ("root_id" is not null)`,
    },
  ],
  uniques: [{ properties: ['accountId', 'token'] }],
});
export type SandboxPost = InferEntity<typeof SandboxPost>;
