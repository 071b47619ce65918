/**
 * Reads one post of the caller's with its full content and its outcome
 * (docs/contract/posts.md#fields-of-a-single-post).
 */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import type { ImageType } from '../media/limits.ts';
import { timestampOrNull } from '../timestamp.ts';
import { findPost } from './find-post.ts';
import { type PostView, postView } from './post-view.ts';

/** An image of a post. */
export interface PostImage {
  id: string;
  /** The post's own alt text, or the one set at upload. */
  altText: string | null;
  contentType: ImageType;
  width: number;
  height: number;
  /** Readable with the caller's key; null when the image was freed or the key cannot reach it. */
  url: string | null;
}

/** A post as the single-post endpoint returns it. Its text is the one for its platform if `textByPlatform` had one. */
export interface PostDetail extends PostView {
  connectionId: string;
  platformId: string;
  sentAt: string | null;
  thread: string[];
  firstComment: string | null;
  media: PostImage[];
  rewrite: boolean | null;
  threadCount: number;
  hasFirstComment: boolean;
  tries: number;
}

/** @throws ServiceError not_found for an unknown or foreign post. */
export async function getPost(context: Context, caller: Caller, postId: string): Promise<PostDetail> {
  const row = await findPost(context, caller, postId);
  return {
    ...postView(row),
    connectionId: row.connection_id,
    platformId: row.platform_id,
    sentAt: timestampOrNull(row.sent_at),
    thread: row.thread,
    firstComment: row.first_comment,
    media: await imagesOf(context, caller, row.id),
    rewrite: row.rewrite,
    threadCount: row.thread_count,
    hasFirstComment: row.has_first_comment,
    tries: row.tries,
  };
}

interface ImageRow {
  id: string;
  alt_text: string | null;
  content_type: ImageType;
  width: number;
  height: number;
  is_reachable: boolean;
}

const IMAGES = `
  select m.id, coalesce(u.alt_text, m.alt_text) as alt_text, m.content_type, m.width, m.height,
    m.state = 'stored' and ($2::uuid is null or m.profile_id is not distinct from $2) as is_reachable
  from post_media u join media m on m.id = u.media_id where u.post_id = $1 order by u.position`;

async function imagesOf({ config, db }: Context, caller: Caller, postId: string): Promise<PostImage[]> {
  const rows = await query<ImageRow>(db.em(), IMAGES, [postId, caller.profileId]);
  return rows.map((row) => ({
    id: row.id,
    altText: row.alt_text,
    contentType: row.content_type,
    width: row.width,
    height: row.height,
    url: row.is_reachable ? `${config.publicUrl}/api/v2/media/${row.id}/raw` : null,
  }));
}
