/**
 * The resources that a client can subscribe to, and those that an event concerns
 * (docs/contract/agents.md#subscriptions).
 */
import { UriTemplate } from '@modelcontextprotocol/server';
import type { Caller } from '../services/access/caller.ts';
import type { Context } from '../services/context.ts';
import type { FeedEvent } from '../services/events/event-feed.ts';
import type { EventPayload } from '../services/events/event-payloads.ts';
import { reachablePostIds } from '../services/posts/reachable-post-ids.ts';
import { APPROVALS_URI, CONNECTION_URI, CONNECTIONS_URI, connectionUri, POST_URI, postUri } from './resource-uris.ts';

type EventName = FeedEvent['event'];

type Concern = 'post' | 'approvals' | 'connection';

/** What an event changes in a resource. Metrics are in no resource. */
const CONCERNS: Readonly<Record<EventName, readonly Concern[]>> = {
  'post.sent': ['post'],
  'post.failed': ['post'],
  'post.deleted': ['post'],
  'post.metrics': [],
  'post.rescheduled': ['post'],
  'connection.created': ['connection'],
  'connection.removed': ['connection'],
  'webhook.disabled': [],
  'feed.disabled': [],
  'post.approval_requested': ['post', 'approvals'],
  'post.approved': ['post', 'approvals'],
  'post.rejected': ['post', 'approvals'],
  'post.approval_expired': ['post', 'approvals'],
};

/** Events that concern a resource. */
export const WATCHED_EVENTS = (Object.keys(CONCERNS) as EventName[]).filter((name) => CONCERNS[name].length > 0);

const POST = new UriTemplate(POST_URI);
const CONNECTION = new UriTemplate(CONNECTION_URI);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The address of each resource as the client wrote it, by the one that this service uses. */
export type WatchedResources = ReadonlyMap<string, string>;

/**
 * Finds those of the requested addresses that can be watched: the fixed ones, any slug, and posts within reach. A slug need
 * not exist yet, because a client waits for it while a person connects the account. Of two spellings of one post the first
 * counts, so that an event is at most one notification for each resource.
 */
export async function watchedResources(
  context: Context,
  caller: Caller,
  requested: readonly string[],
): Promise<WatchedResources> {
  const ids = new Set(requested.flatMap((uri) => postIdIn(uri) ?? []));
  const reached = await reachablePostIds(context, caller, [...ids]);
  const watched = new Map<string, string>();
  for (const uri of requested) {
    const resource = resourceAt(uri, reached);
    if (resource !== null && !watched.has(resource)) watched.set(resource, uri);
  }
  return watched;
}

/** @param reached ids of the posts that the caller reaches */
function resourceAt(uri: string, reached: ReadonlySet<string>): string | null {
  const postId = postIdIn(uri);
  if (postId !== null) return reached.has(postId) ? postUri(postId) : null;
  return isFixed(uri) || CONNECTION.match(uri) !== null ? uri : null;
}

function postIdIn(uri: string): string | null {
  const id = String(POST.match(uri)?.['postId'] ?? '').toLowerCase();
  return UUID.test(id) ? id : null;
}

function isFixed(uri: string): boolean {
  return uri === APPROVALS_URI || uri === CONNECTIONS_URI;
}

/** Addresses of the resources that an event concerns. */
export function resourcesOf(event: FeedEvent): string[] {
  return CONCERNS[event.event].flatMap((concern) => {
    if (concern === 'post') return [postUri(event.subjectId)];
    return concern === 'approvals' ? [APPROVALS_URI] : [CONNECTIONS_URI, connectionUri(slugOf(event))];
  });
}

function slugOf({ payload }: FeedEvent): string {
  return (payload['connection'] as EventPayload<'connection.created'>['connection']).slug;
}
