/** Posts that a search of `GET /posts` gives, and the words that it finds posts by that were stored without the API. */
import { expect } from 'vitest';
import type { World } from './world.ts';

export interface PostPage {
  readonly posts: { id: string }[];
  readonly nextCursor: string | null;
}

export type PostSearchFilter = Readonly<Record<string, string | number>>;

/** One page; fails unless it is answered with 200. */
export async function searchPage(world: World, key: string, filter: PostSearchFilter): Promise<PostPage> {
  const parameters = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]));
  const { status, body } = await world.rest(`GET /posts?${parameters.toString()}`, { key });
  expect(status).toBe(200);
  return body as PostPage;
}

export const idsIn = ({ posts }: PostPage): string[] => posts.map(({ id }) => id);

/** Ids of the posts on all pages: follows the cursors to the end. */
export async function searchAll(world: World, key: string, filter: PostSearchFilter): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await searchPage(world, key, { ...filter, ...(cursor !== undefined && { cursor }) });
    ids.push(...idsIn(page));
    cursor = page.nextCursor;
  }
  return ids;
}

/** Stores the words of all posts of an account, as the service does with each post. */
export async function storeWords(world: World, accountId: string): Promise<void> {
  await world.sql(
    `insert into post_words (post_id, words)
     select id, array_to_tsvector(array['account ' || account_id::text]) || to_tsvector('simple', text) from posts where account_id = $1`,
    [accountId],
  );
}
