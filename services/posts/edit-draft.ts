/** Changes the content of a draft, in the caller's transaction: only the given fields change. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import type { ItemError } from '../../errors/item-error.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import type { ImageSize } from '../images/inspect-image.ts';
import { type CheckedMedia, checkMedia } from '../media/check-media.ts';
import { holdMedia } from '../media/hold-media.ts';
import { checkPost, type PostContent } from './check-post.ts';
import type { PostConnection } from './connection-for-post.ts';
import type { PostRow } from './post-view.ts';
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

/** The content that a draft has after a change. */
export interface EditedDraft {
  readonly text: string;
  readonly thread: readonly string[];
  readonly firstComment: string | null;
  readonly tags: readonly string[] | null;
  /** Null when the images stay. */
  readonly media: readonly CheckedMedia[] | null;
  readonly images: readonly ImageSize[];
  /** Why the connection does not take it; null when it does. */
  readonly error: ItemError | null;
}

// A failed post that becomes a draft may hold a rewrite: it stays with what the caller sent until the text changes.
const storeEdit = statement('edit a draft', {
  parameters: {
    postId: 'uuid',
    text: 'text',
    thread: 'text[]',
    firstComment: 'text?',
    tags: 'text[]?',
    hasOtherImages: 'boolean',
  },
  result: { id: 'uuid' },
  sql: ({ postId, text, thread, firstComment, tags, hasOtherImages }) => `
    with edited as (
      update posts p set text = ${text}, thread = ${thread}, first_comment = ${firstComment}, tags = coalesce(${tags}, tags),
        original_text = case when p.text = ${text} then p.original_text else ${text} end,
        content_generation = case when p.text = ${text} and not ${hasOtherImages} then content_generation else generation end,
        ai_rewrite_status = case when p.text = ${text} then p.ai_rewrite_status end,
        rewrite_warning = case when p.text = ${text} then p.rewrite_warning end
      where id = ${postId} and status = 'draft' returning id, account_id, p.text, tags
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

/** Changes whose images are checked. */
export interface CheckedChanges extends Omit<DraftChanges, 'media'> {
  /** Null when the images stay. */
  readonly media: readonly CheckedMedia[] | null;
}

/** @throws ServiceError invalid_media */
export async function checkChanges(context: Context, caller: Caller, changes: DraftChanges): Promise<CheckedChanges> {
  const { media } = changes;
  return { ...changes, media: media === undefined ? null : await checkMedia(context, caller, media) };
}

/**
 * Applies the changes to the content of a draft, without storing it, and checks the whole against its connection. A
 * caller that does not lock the draft before has to notice when another request edits it before {@link editDraft}.
 */
export function editedDraft(
  context: Context,
  present: PostContent,
  { media, ...changes }: CheckedChanges,
  { platform, limits }: Pick<PostConnection, 'platform' | 'limits'>,
): EditedDraft {
  const next = {
    text: changes.text ?? present.text,
    thread: changes.thread ?? (typeof changes.firstComment === 'string' ? [] : present.thread),
    firstComment: changes.firstComment === undefined ? present.firstComment : changes.firstComment,
    images: media ?? present.images,
  };
  const { text, thread, firstComment, images } = next;
  const error = checkPost(context, platform, limits, next);
  return { text, thread, firstComment, tags: changes.tags ?? null, media, images, error };
}

/** The error of a draft that its connection does not take, for a request to change it. */
export function editRefusal({ code, message }: ItemError): ServiceError {
  return new ServiceError(code === 'platform_rejected' ? 'invalid_request' : code, message);
}

/** @returns whether the post is still a draft; nothing is stored otherwise */
export async function editDraft(
  context: Context,
  em: SqlEntityManager,
  post: Pick<PostRow, 'id'>,
  { text, thread, firstComment, tags, media }: EditedDraft,
): Promise<boolean> {
  const edit = { postId: post.id, text, thread, firstComment, tags, hasOtherImages: media !== null };
  if ((await storeEdit(em, edit)).length === 0) return false;
  if (media !== null) await replaceImages(context, em, post, media);
  return true;
}

async function replaceImages(
  context: Context,
  em: SqlEntityManager,
  post: Pick<PostRow, 'id'>,
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
