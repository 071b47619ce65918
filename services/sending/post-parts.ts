/** The platform calls for a post, in order: the head, its replies, its first comment. Pure. */
import type { PartStep, Published } from '../../platforms/contract.ts';

export interface PostPart {
  readonly step: PartStep;
  /** Position among the parts of the same step, from 0. */
  readonly index: number;
  readonly text: string;
}

/** A published part, and its position among the parts of its post. */
export interface PublishedPart {
  readonly index: number;
  readonly published: Published;
}

/** Counts the published replies and comment for these parts, oldest first. */
export function countsOf(
  post: { readonly thread: readonly string[]; readonly firstComment: string | null },
  partsUp: number,
): { readonly threadCount: number; readonly hasFirstComment: boolean } {
  const replies = post.thread.length;
  return {
    threadCount: Math.min(Math.max(partsUp - 1, 0), replies),
    hasFirstComment: post.firstComment !== null && partsUp === 1 + replies + 1,
  };
}

export function partsOf(post: { text: string; thread: readonly string[]; firstComment: string | null }): PostPart[] {
  return [
    { step: 'head', index: 0, text: post.text },
    ...post.thread.map((text, index): PostPart => ({ step: 'reply', index, text })),
    ...(post.firstComment === null ? [] : [{ step: 'first_comment' as const, index: 0, text: post.firstComment }]),
  ];
}
