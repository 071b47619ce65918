/** Edits a draft: only the given fields change, and the whole draft is checked against its connection again. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { checkMedia } from '../media/check-media.ts';
import { holdMedia } from '../media/hold-media.ts';
import { checkPost } from './check-post.ts';
import { findPost } from './find-post.ts';
import { contentOf, connectionForPost } from './connection-for-post.ts';
import { type PostRow, type PostView, postView } from './post-view.ts';
import { wordsOf } from './post-words.ts';

export interface DraftChanges {
  readonly text?: string | undefined;
  /** Empty clears it. */
  readonly thread?: readonly string[] | undefined;
  /** Null clears it. Given without a thread, it also clears the thread. */
  readonly firstComment?: string | null | undefined;
  /** Replaces all images. */
  readonly media?: readonly { readonly id: string; readonly altText?: string | undefined }[] | undefined;
  readonly tags?: readonly string[] | undefined;
}

const UPDATE = `
  with edited as (
    update posts set text = $2, original_text = $2, thread = $3, first_comment = $4, tags = $5
    where id = $1 and status = 'draft' returning id, account_id, text, tags
  ), worded as (
    update post_words w set words = ${wordsOf('e.account_id::text', 'e.text')} from edited e where w.post_id = e.id
  ), untagged as (
    delete from post_tags t using edited e where t.post_id = e.id and t.tag <> all (e.tags)
  ), tagged as (
    insert into post_tags (post_id, tag, account_id)
    select distinct e.id, t.tag, e.account_id from edited e cross join lateral unnest(e.tags) as t(tag)
    on conflict do nothing
  )
  select id from edited`;

const ADD_IMAGES = `
  insert into post_media (id, post_id, media_id, position, alt_text)
  select m.id, $1, m."mediaId", m.position, m."altText"
  from jsonb_to_recordset($2::jsonb) as m(id uuid, "mediaId" uuid, position int, "altText" text)`;

/**
 * @throws ServiceError not_found, invalid_request (no longer a draft, text over the limit), invalid_media,
 *   media_unsupported, shape_unsupported, invalid_connection
 */
export async function updateDraft(
  context: Context,
  caller: Caller,
  postId: string,
  changes: DraftChanges,
): Promise<PostView> {
  const post = await findPost(context, caller, postId);
  if (post.status !== 'draft') throw noDraft(post.status);
  const { platform, limits } = await connectionForPost(context, caller, post);
  const media = changes.media === undefined ? null : await checkMedia(context, caller, changes.media);
  const present = await contentOf(context, post);
  const next = {
    text: changes.text ?? post.text,
    thread: changes.thread ?? (typeof changes.firstComment === 'string' ? [] : post.thread),
    firstComment: changes.firstComment === undefined ? post.first_comment : changes.firstComment,
    images: media ?? present.images,
  };
  const error = checkPost(context, platform, limits, next);
  if (error !== null)
    throw new ServiceError(error.code === 'platform_rejected' ? 'invalid_request' : error.code, error.message);
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const parameters = [post.id, next.text, next.thread, next.firstComment, changes.tags ?? post.tags];
    if ((await query(em, UPDATE, parameters)).length === 0) throw noDraft('published');
    if (media !== null) await replaceImages(context, em, post, media);
  });
  return postView(await findPost(context, caller, postId));
}

async function replaceImages(
  context: Context,
  em: SqlEntityManager,
  post: PostRow,
  media: readonly { id: string; altText: string | null }[],
): Promise<void> {
  await holdMedia(
    em,
    media.map(({ id }) => id),
  );
  await query(em, 'delete from post_media where post_id = $1', [post.id]);
  const rows = media.map(({ id, altText }, position) => ({
    id: context.random.uuid(),
    mediaId: id,
    position,
    altText,
  }));
  await query(em, ADD_IMAGES, [post.id, JSON.stringify(rows)]);
}

function noDraft(status: string): ServiceError {
  return new ServiceError('invalid_request', `Only a draft can be edited; this post is ${status}.`);
}
