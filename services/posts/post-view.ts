/** A post as the API returns it (docs/contract/posts.md#fields), and the columns it is read from. */
import { columns } from '../../entities/column-lists.ts';
import { type Queries, statement } from '../../entities/statement.ts';
import type { Tables } from '../../entities/tables.ts';
import { storedError } from '../../errors/item-error.ts';
import { approvalsOf, type ApprovalView } from '../approvals/approval-view.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';

/** The columns that a list of posts shows. */
const SHOWN_NAMES = [
  'id',
  'connection_slug',
  'profile_id',
  'status',
  'text',
  'original_text',
  'ai_rewrite_status',
  'tags',
  'url',
  'platform_post_id',
  'error_code',
  'error_message',
  'scheduled_for',
  'created_at',
  'deleted_at',
  'approval_id',
] as const;

/** The columns of a post that other reads select. */
const NAMES = [
  ...SHOWN_NAMES,
  'account_id',
  'connection_id',
  'platform_id',
  'mode',
  'sent_at',
  'thread',
  'first_comment',
  'rewrite',
  'rewrite_warning',
  'generation',
  'tries',
  'thread_count',
  'has_first_comment',
  'idempotency_record_id',
] as const;

/** The same for typed queries (`list`) and for hand-written SQL (`sql`, `types`). */
export const POST = { list: NAMES, ...columns('posts', NAMES) };

/** What a list of posts selects. */
export const SHOWN_POST = columns('posts', SHOWN_NAMES);

export const POST_ID = columns('posts', ['id']);

/** The rows of a page by the ids of its posts, newest first. */
export const readShownPosts = statement('read the posts of a page', {
  parameters: { ids: 'uuid[]' },
  result: SHOWN_POST.types,
  sql: ({ ids }) => `select ${SHOWN_POST.sql} from posts where id = any(${ids}) order by id desc`,
});

export type PostRow = Pick<Tables['posts'], (typeof NAMES)[number]>;

export type ShownPostRow = Pick<Tables['posts'], (typeof SHOWN_NAMES)[number]>;

/** The fields of a post in lists; routers/schemas/post.ts documents them. */
export type PostView = ReturnType<typeof postView>;

/** @param approvals those of the posts that have one, by their ids */
export function postView(row: ShownPostRow, approvals: ReadonlyMap<string, ApprovalView>) {
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
    approval: approvals.get(row.approval_id ?? '') ?? null,
  };
}

/** A post, with its approval read if it has one. */
export async function viewPost(queries: Queries, row: ShownPostRow): Promise<PostView> {
  return postView(row, await approvalsOf(queries, [row]));
}
