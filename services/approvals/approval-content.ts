/** What a request for approval is about, kept with it: a person sees it beside what the post says later. */
import type { JsonObject } from '../../platforms/contract.ts';
import type { Queries } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';

export interface ApprovalContent {
  text: string;
  thread: string[];
  firstComment: string | null;
  /** With the alt texts that go out: those of the post, or else of the uploads. */
  media: { id: string; altText: string | null }[];
}

export interface PostContentRow {
  readonly id: string;
  readonly text: string;
  readonly thread: readonly string[];
  readonly first_comment: string | null;
}

/** Reads it of a stored post. */
export async function readApprovalContent(queries: Queries, post: PostContentRow): Promise<ApprovalContent> {
  const images = await tables(queries)
    .selectFrom('post_media as used')
    .innerJoin('media', 'media.id', 'used.media_id')
    .select('used.media_id')
    .select(({ fn }) => fn.coalesce('used.alt_text', 'media.alt_text').as('alt_text'))
    .where('used.post_id', '=', post.id)
    .orderBy('used.position')
    .execute();
  return {
    text: post.text,
    thread: [...post.thread],
    firstComment: post.first_comment,
    media: images.map(({ media_id: id, alt_text: altText }) => ({ id, altText })),
  };
}

/** @param stored what a row of `approvals` has */
export function approvalContentOf(stored: JsonObject): ApprovalContent {
  const { text, thread, firstComment, media } = stored as unknown as ApprovalContent;
  // PostgreSQL does not keep the order of fields in JSON.
  return { text, thread, firstComment, media: media.map(({ id, altText }) => ({ id, altText })) };
}
