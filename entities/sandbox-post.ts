/** A post on the sandbox's own timeline: what the sandbox, seen as a platform, has accepted. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { SandboxImage } from '../platforms/sandbox/timeline.ts';
import { id, instant } from './columns.ts';

export const SandboxPost = defineEntity({
  name: 'SandboxPost',
  tableName: 'sandbox_posts',
  properties: {
    id: id(),
    /** The sandbox account, which is the connection's id: every sandbox connection is an account of its own. */
    accountId: p.uuid(),
    handle: p.string(),
    text: p.text(),
    /** The token the send came with: a repeat finds the post that the first call made. */
    token: p.string(),
    /** How often the sandbox was called with this token: more than once only after a recovery. */
    calls: p.integer(),
    /** Its images, in order; the bytes stay where they were uploaded. */
    images: p.json<readonly SandboxImage[]>(),
    /** The post under which it is a reply; null for a post. */
    rootId: p.uuid().nullable(),
    createdAt: instant(),
    deletedAt: instant().nullable(),
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
