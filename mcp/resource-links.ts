/** Links from the answer of a tool to the posts that it made or changed, for clients that can follow them. */
import type { ResourceLink, ServerContext } from '@modelcontextprotocol/server';
import { postUri } from './resource-uris.ts';

/** The revision that brought links; clients of the ones before refuse content they do not know. */
const SINCE = '2025-06-18';

/** Most links of an answer. */
const LINKS_MAX = 20;

interface Named {
  readonly post?: { readonly id?: string };
  readonly result?: { readonly postId?: string | null };
  readonly results?: readonly { readonly postId?: string | null }[];
}

/** @param body of an answer: `post`, `result` and `results` are what names posts in it */
export function linksTo(body: unknown, ctx: ServerContext): ResourceLink[] {
  if (!knowsLinks(ctx)) return [];
  const { post, result, results = [] } = body as Named;
  const ids = [post?.id, result?.postId, ...results.map(({ postId }) => postId)];
  return ids
    .filter((id) => id !== undefined && id !== null)
    .slice(0, LINKS_MAX)
    .map((id) => ({ type: 'resource_link', uri: postUri(id), name: `post ${id}`, mimeType: 'application/json' }));
}

function knowsLinks({ mcpReq, http }: ServerContext): boolean {
  // Only requests of 2026-07-28 and later have an envelope; of those before, the first two do not name their revision.
  return mcpReq.envelope !== undefined || (http?.req?.headers.get('mcp-protocol-version') ?? '') >= SINCE;
}
