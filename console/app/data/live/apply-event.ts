/** Says which queries an event concerns: it patches what the event tells, and reads again only what it does not. */
import type { QueryClient } from '@tanstack/react-query';
import type { Api, Outputs } from '../trpc.ts';
import type { StreamMessage } from './event-reader.ts';
import { findPost, patchPost, refreshPostLists, rowChanges, type Trpc } from './post-cache.ts';

type Post = Outputs['posts']['list']['posts'][number];

/** The fields of a post that events carry under the same name. */
const EVENT_FIELDS = [
  'status',
  'url',
  'error',
  'scheduledFor',
  'deletedAt',
  'text',
  'tags',
] as const satisfies (keyof Post)[];

/** Most posts that are read one by one after changes that arrived together. */
const READ_MAX = 20;

/** Statuses that events imply without naming them. */
const IMPLIED: Readonly<Record<string, Post['status']>> = {
  'post.deleted': 'deleted',
  'post.rescheduled': 'scheduled',
};

export interface LiveCache {
  readonly queryClient: QueryClient;
  readonly trpc: Trpc;
  readonly api: Api;
}

/** Applies messages that arrived together. */
export async function applyEvents(cache: LiveCache, messages: readonly StreamMessage[]): Promise<void> {
  const { queryClient, trpc, api } = cache;
  const stale = new Set<Resource>();
  const changedPosts = new Set<string>();
  let listsChanged = false;
  for (const message of messages) {
    const body = parse(message.data);
    if (message.event === 'change') {
      for (const resource of resourcesOf(String(body['operation'] ?? ''))) stale.add(resource);
      if (!String(body['operation']).startsWith('posts.')) continue;
      listsChanged = true;
      for (const id of changedIds(body)) if (!isGone(cache, body['operation'], id)) changedPosts.add(id);
      continue;
    }
    const post = body['post'] as Partial<Post> | undefined;
    if (post?.id !== undefined) {
      listsChanged = applyToPost(cache, message.event, post.id, post) || listsChanged;
      stale.add('analytics');
    }
    if (message.event.startsWith('connection.')) stale.add('connections');
    if (message.event === 'connection.removed') listsChanged = true;
  }
  for (const resource of stale) void queryClient.invalidateQueries(trpc[resource].pathFilter());
  await Promise.all([...changedPosts].slice(0, READ_MAX).map((id) => readPost(cache, id)));
  if (listsChanged) await refreshPostLists(queryClient, trpc, api);
}

function changedIds({ objectIds }: Record<string, unknown>): string[] {
  return Array.isArray(objectIds) ? objectIds.map(String) : [];
}

/** A deleted draft cannot be read; it leaves the list with the next read of its page. */
function isGone({ queryClient, trpc }: LiveCache, operation: unknown, postId: string): boolean {
  if (operation !== 'posts.delete') return false;
  const shown = queryClient.getQueryData(trpc.posts.get.queryKey({ postId }))?.post;
  return (findPost(queryClient, trpc, postId) ?? shown)?.status === 'draft';
}

/** Reads a post again that changed without an event, if it is shown: new tags, an edited draft, a cancelled post. */
async function readPost({ queryClient, trpc, api }: LiveCache, postId: string): Promise<void> {
  const detail = queryClient.getQueryData(trpc.posts.get.queryKey({ postId }));
  if (detail !== undefined) void queryClient.invalidateQueries(trpc.posts.get.queryFilter({ postId }));
  if (findPost(queryClient, trpc, postId) === undefined) return;
  const answer = await api.posts.get.query({ postId }).catch(() => null);
  if (answer !== null) patchPost(queryClient, trpc, postId, rowChanges(answer.post));
}

/** Everything that is shown is read again; endless lists read their newest page only. */
export async function refreshAll({ queryClient, trpc, api }: LiveCache): Promise<void> {
  const endless = trpc.posts.list.pathFilter();
  const lists = new Set(queryClient.getQueryCache().findAll(endless));
  void queryClient.invalidateQueries({ predicate: (query) => !lists.has(query) });
  await refreshPostLists(queryClient, trpc, api);
}

/** Returns whether lists must be read again, because none of them has the post or its order changed. */
function applyToPost({ queryClient, trpc }: LiveCache, event: string, id: string, fields: Partial<Post>): boolean {
  const metrics = trpc.posts.metrics.queryFilter({ postId: id });
  void queryClient.invalidateQueries(metrics);
  void queryClient.invalidateQueries(trpc.posts.events.infiniteQueryFilter({ postId: id }));
  if (event === 'post.metrics') return false;
  const changes: Partial<Post> = Object.fromEntries(
    EVENT_FIELDS.filter((name) => name in fields).map((name) => [name, fields[name]]),
  );
  const implied = IMPLIED[event];
  const isListed = patchPost(queryClient, trpc, id, { ...changes, ...(implied !== undefined && { status: implied }) });
  void queryClient.invalidateQueries(trpc.posts.get.queryFilter({ postId: id }));
  void queryClient.invalidateQueries(trpc.posts.attempts.queryFilter({ postId: id }));
  return !isListed;
}

type Resource =
  | 'connections'
  | 'connect'
  | 'profiles'
  | 'keys'
  | 'webhooks'
  | 'media'
  | 'account'
  | 'audit'
  | 'analytics'
  | 'people'
  | 'posts';

/** Resources whose answers an operation changes, by the first part of its name; posts are lists with their own rules. */
const CHANGES: Readonly<Record<string, readonly Resource[]>> = {
  connections: ['connections'],
  connect: ['connections', 'connect'],
  profiles: ['profiles', 'connections', 'keys'],
  keys: ['keys'],
  webhooks: ['webhooks'],
  media: ['media', 'account'],
  account: ['account'],
  posts: ['connections'],
  people: ['people'],
  owner: ['people'],
};

function resourcesOf(operation: string): readonly Resource[] {
  return ['audit', ...(CHANGES[operation.split('.')[0] ?? ''] ?? [])];
}

function parse(data: string): Record<string, unknown> {
  try {
    return JSON.parse(data) as Record<string, unknown>;
  } catch {
    return {};
  }
}
