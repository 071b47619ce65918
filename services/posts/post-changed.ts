/** How a request notices that another one has changed its post since it was read and checked. */
import { columns } from '../../entities/column-lists.ts';
import type { PostRow } from './post-view.ts';

/** Thrown inside a transaction when a post is no longer in the expected state, or no longer says what was checked. */
export class PostChanged extends Error {
  override name = 'PostChanged';
}

/** What a post `p` says, apart from its images. A statement that locks a post returns it, for {@link requireUnedited}. */
export const CONTENT = columns('posts', ['text', 'thread', 'first_comment'], 'p');

type Content = Pick<PostRow, 'text' | 'thread' | 'first_comment'>;

/**
 * @param present what the locked row says; undefined when the post is not in the expected state
 * @throws PostChanged unless it is what the request has read
 */
export function requireUnedited(present: Content | undefined, read: Content): asserts present is Content {
  if (present === undefined || wordsOf(present) !== wordsOf(read)) throw new PostChanged();
}

function wordsOf({ text, thread, first_comment: firstComment }: Content): string {
  return JSON.stringify([text, thread, firstComment]);
}
