/** Lists posts in a bounded number of requests: an account has any number of posts, and each operation has a rate limit. */
import type { Api, Inputs, Outputs } from '../../data/api-types.ts';

type Page = Outputs['posts']['list'];
export type ListedPost = Page['posts'][number];
export type PostFilter = Pick<Inputs['posts']['list'], 'status' | 'connection' | 'from' | 'to' | 'cursor'>;

/** Most posts that the service lists in one answer. */
export const LISTED_MAX = 100;

/** Most requests that one press or save makes of one operation; the service takes 60 a minute by default. */
export const REQUESTS_MAX = 20;

/**
 * @param oldest id of a post or draft; older ones are not listed
 * @returns the newest first; without older ones when there are too many
 */
export async function listPosts(api: Api, filter: PostFilter, oldest?: string): Promise<ListedPost[]> {
  const found: ListedPost[] = [];
  let cursor = filter.cursor;
  for (let asked = 0; asked < REQUESTS_MAX; asked += 1) {
    const page: Page = await api.posts.list.query({ ...filter, limit: LISTED_MAX, ...(cursor && { cursor }) });
    found.push(...page.posts);
    // Ids grow with time.
    if (page.nextCursor === null || (oldest !== undefined && page.nextCursor <= oldest)) break;
    cursor = page.nextCursor;
  }
  return found;
}
