/** A post as the API returns it (docs/contract/posts.md#fields), and the columns it is read from. */
import { columns } from '../../entities/column-lists.ts';
import type { Tables } from '../../entities/tables.ts';
import { storedError } from '../../errors/item-error.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';

/** The columns of a post that reads select. */
const NAMES = [
  'id',
  'account_id',
  'connection_id',
  'connection_slug',
  'platform_id',
  'profile_id',
  'mode',
  'status',
  'text',
  'original_text',
  'tags',
  'url',
  'platform_post_id',
  'error_code',
  'error_message',
  'scheduled_for',
  'created_at',
  'sent_at',
  'deleted_at',
  'thread',
  'first_comment',
  'rewrite',
  'ai_rewrite_status',
  'rewrite_warning',
  'generation',
  'tries',
  'thread_count',
  'has_first_comment',
  'idempotency_record_id',
] as const;

/** The same for typed queries (`list`) and for hand-written SQL (`sql`, `types`). */
export const POST = { list: NAMES, ...columns('posts', NAMES) };

export type PostRow = Pick<Tables['posts'], (typeof NAMES)[number]>;

/** The fields of a post in lists; routers/schemas/post.ts documents them. */
export type PostView = ReturnType<typeof postView>;

export function postView(row: PostRow) {
  return {
    id: row.id,
    connectionSlug: row.connection_slug,
    text: row.text,
    originalText: row.original_text,
    aiRewriteStatus: row.ai_rewrite_status === 'pending' ? null : row.ai_rewrite_status,
    status: row.status,
    url: row.url,
    scheduledFor: timestampOrNull(row.scheduled_for),
    createdAt: timestamp(row.created_at),
    platformPostId: row.platform_post_id,
    deletedAt: timestampOrNull(row.deleted_at),
    error: storedError(row),
    tags: row.tags,
    profileId: row.profile_id,
  };
}
