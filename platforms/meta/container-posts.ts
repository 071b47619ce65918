/** Finds the post of a published container. A container does not name its post, so the match uses time and text. */
import { z } from 'zod';
import type { ContainerApi } from './container-api.ts';
import { PlatformFailure, type PlatformIo, type Published, type SendPart } from '../contract.ts';
import type { GraphAnswer } from './graph.ts';
import { stringField } from '../http.ts';
import { comparableText, earliestIfKnown } from '../match-post.ts';

/** Number of posts that a search requests: the most that either platform lists. */
const LISTED_MAX = 100;

const List = z.object({
  data: z.array(
    z.looseObject({
      id: z.string(),
      /** Such as 2026-11-21T09:00:00+0000, which is not quite RFC 3339. */
      timestamp: z.string(),
      permalink: z.string().optional(),
    }),
  ),
});

/** Finds the post of a published container. If it cannot be found, or another one says the same, returns the container's own id. */
export async function findPost(
  api: ContainerApi,
  part: SendPart,
  containerId: string,
  io: PlatformIo,
): Promise<Published> {
  const query = { fields: `id,${api.text},timestamp,permalink`, limit: String(LISTED_MAX) };
  const answer = await orNull(api.call(`${api.account}/${api.posts}`, { query }));
  const list = List.safeParse(answer?.body);
  if (answer === null || !list.success) return { platformPostId: containerId, url: null };
  // Published regardless, so that its own id will do.
  const earliest = earliestIfKnown(part, answer, io.now()) ?? Number.POSITIVE_INFINITY;
  const recent = list.data.data.filter(({ timestamp }) => Date.parse(timestamp) >= earliest);
  const [found, ...others] = recent.filter(
    (one) => comparableText(stringField(one, api.text) ?? '') === comparableText(part.text),
  );
  if (found === undefined || others.length > 0) return { platformPostId: containerId, url: null };
  // The list may not show the post of the container yet.
  return { platformPostId: found.id, url: webAddress(found.permalink), provenId: containerId };
}

/** Null when the permalink cannot be read: the post is published regardless. */
export async function permalinkOf(api: ContainerApi, id: string): Promise<string | null> {
  const answer = await orNull(api.call(encodeURIComponent(id), { query: { fields: 'permalink' } }));
  return webAddress(stringField(answer?.body, 'permalink'));
}

/** The id and permalink are read after publication, so a lost response is not a failure. */
async function orNull(asked: Promise<GraphAnswer>): Promise<GraphAnswer | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof PlatformFailure) return null;
    throw error;
  }
}

function webAddress(text: string | undefined): string | null {
  return text !== undefined && /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : null;
}
