/** A post as the API returns it (docs/contract/posts.md#fields), and the columns it is read from. */
import type { ErrorCode } from '../../errors/codes.ts';
import type { PostStatus, RewriteStatus } from '../../entities/post.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';

/** Columns of a post that reads select. */
export const POST_COLUMNS = `id, account_id, connection_id, connection_slug, platform_id, profile_id, mode, status, text, original_text, tags,
  url, platform_post_id, error_code, error_message, scheduled_for, created_at, sent_at, deleted_at,
  thread, first_comment, rewrite, ai_rewrite_status, rewrite_warning, generation, tries, thread_count, has_first_comment, idempotency_record_id`;

export interface PostRow {
  id: string;
  account_id: string;
  connection_id: string;
  connection_slug: string;
  platform_id: string;
  profile_id: string | null;
  mode: 'live' | 'test';
  status: PostStatus;
  text: string;
  original_text: string;
  tags: string[];
  url: string | null;
  platform_post_id: string | null;
  error_code: ErrorCode | null;
  error_message: string | null;
  scheduled_for: string | null;
  created_at: string;
  sent_at: string | null;
  deleted_at: string | null;
  thread: string[];
  first_comment: string | null;
  rewrite: boolean | null;
  ai_rewrite_status: RewriteStatus | null;
  rewrite_warning: string | null;
  generation: number;
  tries: number;
  thread_count: number;
  has_first_comment: boolean;
  idempotency_record_id: string | null;
}

export interface PostView {
  id: string;
  connectionSlug: string;
  text: string;
  originalText: string;
  aiRewriteStatus: Exclude<RewriteStatus, 'pending'> | null;
  status: PostStatus;
  url: string | null;
  scheduledFor: string | null;
  createdAt: string;
  platformPostId: string | null;
  deletedAt: string | null;
  error: { code: string; message: string } | null;
  tags: string[];
  profileId: string | null;
}

export function postView(row: PostRow): PostView {
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
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    tags: row.tags,
    profileId: row.profile_id,
  };
}
