/** Links from a tool's answer to the posts that it created or changed, for clients that can follow them. */
import type { ResourceLink } from '@modelcontextprotocol/server';
import { postUri } from './resource-uris.ts';

/** The revision that introduced links; clients of earlier ones refuse content types they do not know. */
const SINCE = '2025-06-18';

/** Most links in an answer. */
const LINKS_MAX = 20;

interface Named {
  readonly post?: { readonly id?: string };
  readonly result?: { readonly postId?: string | null };
  readonly results?: readonly { readonly postId?: string | null }[];
}

/** @param body of an answer: its fields `post`, `result` and `results` name posts */
export function linksTo(body: unknown): ResourceLink[] {
  const { post, result, results = [] } = body as Named;
  const ids = [post?.id, result?.postId, ...results.map(({ postId }) => postId)];
  return ids
    .filter((id) => id !== undefined && id !== null)
    .slice(0, LINKS_MAX)
    .map((id) => ({ type: 'resource_link', uri: postUri(id), name: `post ${id}`, mimeType: 'application/json' }));
}

/**
 * Whether a client knows links. The two oldest revisions do not name themselves in requests.
 *
 * @param hasEnvelope as requests of 2026-07-28 and later have
 * @param revision that the request names in its header
 */
export function takesLinks(hasEnvelope: boolean, revision: string | null | undefined): boolean {
  return hasEnvelope || (revision ?? '') >= SINCE;
}
