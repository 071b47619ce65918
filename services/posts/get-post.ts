/**
 * Reads one post of the caller's with its full content and its outcome
 * (docs/contract/posts.md#fields-of-a-single-post).
 */
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import type { ImageType } from '../../entities/media.ts';
import { timestampOrNull } from '../timestamp.ts';
import { findPost } from './find-post.ts';
import { controlsOf, NO_CONTROL } from './control-of.ts';
import { viewPost } from './post-view.ts';

/** @throws ServiceError not_found for an unknown or foreign post. */
export async function getPost(context: Context, caller: Caller, postId: string) {
  const row = await findPost(context, caller, postId);
  return {
    ...(await viewPost(context.db.queries, row)),
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
    ...((await controlsOf(context, [row.id])).get(row.id) ?? NO_CONTROL),
  };
}

async function imagesOf({ config, db }: Context, caller: Caller, postId: string) {
  const rows = await tables(db.queries)
    .selectFrom('post_media as used')
    .innerJoin('media', 'media.id', 'used.media_id')
    .select(['media.id', 'media.content_type', 'media.width', 'media.height', 'media.state', 'media.profile_id'])
    .select(({ fn }) => fn.coalesce('used.alt_text', 'media.alt_text').as('alt_text'))
    .where('used.post_id', '=', postId)
    .orderBy('used.position')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    altText: row.alt_text,
    contentType: row.content_type as ImageType,
    width: row.width,
    height: row.height,
    // Null when the image was freed, or when the caller's key cannot read it.
    url:
      row.state === 'stored' && (caller.profileId === null || caller.profileId === row.profile_id)
        ? `${config.publicUrl}/api/v2/media/${row.id}/raw`
        : null,
  }));
}
