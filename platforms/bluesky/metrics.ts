/** Reads the metrics of Bluesky posts from the network's public API, without authentication. */
import { z } from 'zod';
import { type PostMetrics, type MetricsReading, PlatformFailure, type PlatformIo, type ReadPost } from '../contract.ts';
import type { Session } from '../credential.ts';
import { callPlatform } from '../http.ts';
import { failure } from './api.ts';

/** Maximum number of posts in one call. */
export const URIS_MAX = 25;

/** The gate drops each invalid count, so that the other metrics of the response are still read. */
const count = z.number().default(0);

const Posts = z.object({
  posts: z.array(
    z.object({ uri: z.string(), likeCount: count, repostCount: count, quoteCount: count, replyCount: count }),
  ),
});

export async function readMetrics(
  _session: Session<unknown>,
  posts: readonly ReadPost[],
  io: PlatformIo,
): Promise<MetricsReading> {
  const uris = posts.map(({ platformPostId }) => platformPostId);
  const parameters = new URLSearchParams(uris.map((uri) => ['uris', uri]));
  const url = `${io.endpoints.BLUESKY_APPVIEW_URL}/xrpc/app.bsky.feed.getPosts?${parameters.toString()}`;
  const answer = await callPlatform(io, url);
  if (answer.status !== 200) throw failure(answer);
  const found = Posts.safeParse(answer.body);
  if (!found.success) throw new PlatformFailure('unavailable', 'Bluesky answered without the posts.');
  const metrics = new Map(found.data.posts.map((post) => [post.uri, metricsOf(post)]));
  return new Map(
    posts.flatMap(({ platformPostId: uri, previous = {} }) => {
      const read = metrics.get(uri) ?? missing(previous);
      return read === null ? [] : [[uri, read] as const];
    }),
  );
}

/**
 * The response leaves out posts that were deleted, and those that the network does not know yet: it may be hours behind a server.
 * Null for a post that it has never shown.
 */
function missing(previous: PostMetrics): 'gone' | null {
  return Object.keys(previous).length === 0 ? null : 'gone';
}

function metricsOf(post: z.infer<typeof Posts>['posts'][number]): PostMetrics {
  return { likes: post.likeCount, reposts: post.repostCount + post.quoteCount, replies: post.replyCount };
}
