/** Edits a draft: only the given fields change, and the whole draft is checked against its connection again. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { checkMedia } from '../media/check-media.ts';
import { holdMedia } from '../media/hold-media.ts';
import { checkPost } from './check-post.ts';
import { findPost } from './find-post.ts';
import { lockPost } from './lock-post.ts';
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

const editDraft = statement('edit a draft', {
  parameters: { postId: 'uuid', text: 'text', thread: 'text[]', firstComment: 'text?', tags: 'text[]?' },
  result: { id: 'uuid' },
  sql: ({ postId, text, thread, firstComment, tags }) => `
    with edited as (
      update posts set text = ${text}, original_text = ${text}, thread = ${thread}, first_comment = ${firstComment},
        tags = coalesce(${tags}, tags)
      where id = ${postId} and status = 'draft' returning id, account_id, text, tags
    ), worded as (
      update post_words w set words = ${wordsOf('e.account_id::text', 'e.text')} from edited e where w.post_id = e.id
    ), untagged as (
      delete from post_tags t using edited e where t.post_id = e.id and t.tag <> all (e.tags)
    ), tagged as (
      insert into post_tags (post_id, tag, account_id)
      select distinct e.id, t.tag, e.account_id from edited e cross join lateral unnest(e.tags) as t(tag)
      on conflict do nothing
    )
    select id from edited`,
});

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
    const { text, thread, firstComment } = next;
    const edit = { postId: post.id, text, thread, firstComment, tags: changes.tags ?? null };
    await lockPost(em, caller, post.id);
    if ((await editDraft(em, edit)).length === 0) throw noDraft('published');
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
  await tables(em).deleteFrom('post_media').where('post_id', '=', post.id).execute();
  if (media.length === 0) return;
  const images = media.map(({ id, altText }, position) => ({
    id: context.random.uuid(),
    post_id: post.id,
    media_id: id,
    position,
    alt_text: altText,
  }));
  await tables(em).insertInto('post_media').values(images).execute();
}

function noDraft(status: string): ServiceError {
  return new ServiceError('invalid_request', `Only a draft can be edited; this post is ${status}.`);
}
