/** Tags: reading what a person typed, changing the tags of a post, and the tags that are already in use. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { type Api, type Outputs, useTRPC } from '../../data/trpc.ts';
import type { Post } from './post-actions.ts';

/** The most tags that the service stores for a post. */
export const TAGS_MAX = 10;

/** What the service accepts after lowercasing. */
const TAG = /^[a-z0-9\-_:./]{1,40}$/;

export const TAG_RULE = 'Letters a to z, digits and - _ : . / only, at most 40 characters each.';

/** A change of tags. */
export interface TagChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Splits a typed text at spaces and commas into tags as the service stores them. */
export function tagsIn(text: string): string[] {
  const tags = text.split(/[\s,]+/).map((tag) => tag.replace(/^#/, '').toLowerCase());
  return [...new Set(tags.filter((tag) => tag !== ''))];
}

/** Whether the service takes the tag. */
export function isTag(tag: string): boolean {
  return TAG.test(tag);
}

/** The tags of a post after the change. */
export function changeTags(tags: readonly string[], { add, remove }: TagChange): string[] {
  return [...new Set([...tags.filter((tag) => !remove.includes(tag)), ...add])];
}

/** The change that makes these tags of those. */
export function tagChange(from: readonly string[], to: readonly string[]): TagChange {
  return { add: to.filter((tag) => !from.includes(tag)), remove: from.filter((tag) => !to.includes(tag)) };
}

/**
 * Changes the tags that a post has by now: the service takes all tags of a post, and the page may show earlier ones.
 *
 * @returns the post, and what takes the change back
 */
export async function retag(
  api: Api,
  postId: string,
  change: TagChange,
): Promise<Outputs['posts']['setTags'] & { readonly undo: TagChange }> {
  const { tags } = (await api.posts.get.query({ postId })).post;
  const { post } = await api.posts.setTags.mutate({ postId, tags: changeTags(tags, change) });
  return { post, undo: tagChange(post.tags, tags) };
}

/** The tags of the posts, the most frequent first, with the number of posts that have each. */
export function countTags(posts: readonly Pick<Post, 'tags'>[]): { tag: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { tags } of posts) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .map(([tag, count]) => ({ tag, count }))
    .toSorted((a, b) => b.count - a.count || a.tag.localeCompare(b.tag));
}

type Page = { readonly posts: readonly Pick<Post, 'tags'>[] };

/** Gives the tags of the posts that were read so far, the most frequent first. */
export function useUsedTags(): () => string[] {
  const queryClient = useQueryClient();
  const trpc = useTRPC();
  return useCallback(() => {
    const read = [trpc.posts.list.pathFilter(), trpc.posts.calendar.pathFilter()];
    const lists = read.flatMap((filter) => queryClient.getQueriesData<Page | { pages: readonly Page[] }>(filter));
    const pages = lists.flatMap(([, list]) => (list === undefined ? [] : 'pages' in list ? list.pages : [list]));
    return countTags(pages.flatMap(({ posts }) => posts)).map(({ tag }) => tag);
  }, [queryClient, trpc]);
}
