/** The calls that a post takes, in order: the head, its replies, its first comment. Pure. */
import type { PartStep } from '../../platforms/contract.ts';

export interface PostPart {
  readonly step: PartStep;
  /** Position among the parts of the same step, from 0. */
  readonly index: number;
  readonly text: string;
}

export function partsOf(post: { text: string; thread: readonly string[]; firstComment: string | null }): PostPart[] {
  return [
    { step: 'head', index: 0, text: post.text },
    ...post.thread.map((text, index): PostPart => ({ step: 'reply', index, text })),
    ...(post.firstComment === null ? [] : [{ step: 'first_comment' as const, index: 0, text: post.firstComment }]),
  ];
}
