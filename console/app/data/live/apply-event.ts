/** Says which queries an event concerns: it patches what the event tells, and reads again only what it does not. */
import { hashKey, type Query, type QueryClient } from '@tanstack/react-query';
import { codeOf } from '../problem.ts';
import type { Api, Outputs, Trpc } from '../api-types.ts';
import type { StreamMessage } from './event-reader.ts';
import { isInCalendar, markCalendarsWithout, refreshCalendars } from './calendar-cache.ts';
import {
  dropPost,
  findPost,
  isMisplaced,
  patchPost,
  type PostChanges,
  refreshPostLists,
  refreshPostPages,
  rowChanges,
} from './post-cache.ts';
import { cutPages, pageCount, refreshAtRest } from './refresh-at-rest.ts';

type Post = Outputs['posts']['list']['posts'][number];

/** The fields of a post that events carry, under the same name. */
const EVENT_FIELDS = [
  'status',
  'url',
  'error',
  'scheduledFor',
  'deletedAt',
  'text',
  'tags',
  'sentAt',
] as const satisfies (keyof PostChanges)[];

/** Operations whose changes name the posts that they changed. */
const NAMES_POSTS = /^(?:posts|approvals)\./;

/** Changes of drafts, and of posts that leave calendars: nothing new is to be shown in a calendar. */
const WITHOUT_NEW_ROWS: ReadonlySet<string> = new Set(['posts.update', 'posts.delete']);

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
  let calendarsChanged = false;
  for (const message of messages) {
    const body = parse(message.data);
    if (message.event === 'change') {
      const operation = String(body['operation'] ?? '');
      for (const resource of resourcesOf(operation)) stale.add(resource);
      if (!NAMES_POSTS.test(operation)) continue;
      listsChanged = true;
      calendarsChanged ||= !WITHOUT_NEW_ROWS.has(operation);
      if (operation === 'posts.create') refreshShownDrafts(cache);
      for (const id of changedIds(body)) {
        if (isGone(cache, operation, id)) forgetDraft(cache, id);
        else changedPosts.add(id);
      }
      continue;
    }
    const post = body['post'] as Partial<Post> | undefined;
    if (post?.id !== undefined) {
      const sentAt = message.event === 'post.sent' ? { sentAt: String(body['timestamp']) } : {};
      const left = applyToPost(cache, message.event, post.id, { ...post, ...sentAt });
      listsChanged ||= left.lists;
      calendarsChanged ||= left.calendars;
      stale.add('analytics');
    }
    for (const resource of resourcesWith(message.event, post)) stale.add(resource);
    if (message.event === 'connection.removed') listsChanged = calendarsChanged = true;
  }
  if (stale.delete('posts')) {
    if (refreshPostPages(queryClient, trpc)) listsChanged = false;
    calendarsChanged = true;
    void queryClient.invalidateQueries(trpc.posts.get.pathFilter());
  }
  if (calendarsChanged || changedPosts.size > READ_MAX) refreshCalendars(queryClient, trpc);
  for (const resource of stale) refreshAtRest(queryClient, trpc[resource].pathFilter());
  await Promise.all([...changedPosts].slice(0, READ_MAX).map((id) => readPost(cache, id)));
  if (listsChanged) await refreshPostLists(queryClient, trpc, api);
}

function changedIds({ objectIds }: Record<string, unknown>): string[] {
  return Array.isArray(objectIds) ? objectIds.map(String) : [];
}

/** A deleted draft cannot be read, so lists leave it out without a read. */
function isGone({ queryClient, trpc }: LiveCache, operation: string, postId: string): boolean {
  if (operation !== 'posts.delete') return false;
  const shown = queryClient.getQueryData(trpc.posts.get.queryKey({ postId }))?.post;
  return (findPost(queryClient, trpc, postId) ?? shown)?.status === 'draft';
}

/** Takes a deleted draft out of the lists. Its page reads it again, to say that it is gone. */
function forgetDraft({ queryClient, trpc }: LiveCache, postId: string): void {
  dropPost(queryClient, trpc, postId);
  void queryClient.invalidateQueries(trpc.posts.get.queryFilter({ postId }));
}

/** A change that creates posts may have replaced drafts, which it does not name. Approvals show many others, and are read again anyway. */
function refreshShownDrafts({ queryClient, trpc }: LiveCache): void {
  const isDraft = ({ state }: Query) => {
    const { post } = (state.data ?? {}) as Partial<Outputs['posts']['get']>;
    return post?.status === 'draft' && post.approval?.state !== 'pending';
  };
  void queryClient.invalidateQueries({ ...trpc.posts.get.pathFilter(), type: 'active', predicate: isDraft });
}

/** Reads a post again that changed without an event, if it is shown: new tags, an edited draft, a cancelled post. */
async function readPost({ queryClient, trpc, api }: LiveCache, postId: string): Promise<void> {
  const detail = queryClient.getQueryData(trpc.posts.get.queryKey({ postId }));
  if (detail !== undefined) void queryClient.invalidateQueries(trpc.posts.get.queryFilter({ postId }));
  if (findPost(queryClient, trpc, postId) === undefined && !isInCalendar(queryClient, trpc, postId)) return;
  try {
    const { post } = await api.posts.get.query({ postId });
    patchPost(queryClient, trpc, postId, rowChanges(post));
  } catch (failure) {
    if (codeOf(failure) === 'not_found') dropPost(queryClient, trpc, postId);
  }
}

/**
 * Reads again everything that is shown: no event says what has changed. Endless lists are read with all their pages, at a limited
 * rate.
 */
export async function refreshAll({ queryClient }: Pick<LiveCache, 'queryClient'>): Promise<void> {
  cutPages(queryClient, {});
  const shown = queryClient.getQueryCache().findAll({ type: 'active' });
  const endless = new Map(
    shown.filter((query) => pageCount(query) > 0).map(({ queryKey: [path] }) => [hashKey([path]), path]),
  );
  for (const path of endless.values()) refreshAtRest(queryClient, { queryKey: [path] });
  await queryClient.invalidateQueries({ predicate: ({ queryKey: [path] }) => !endless.has(hashKey([path])) });
}

/** What must be read again, because it does not have the post or shows more of it than the event tells. */
interface Left {
  readonly lists: boolean;
  readonly calendars: boolean;
}

function applyToPost({ queryClient, trpc }: LiveCache, event: string, id: string, fields: PostChanges): Left {
  const metrics = trpc.posts.metrics.queryFilter({ postId: id });
  void queryClient.invalidateQueries(metrics);
  void queryClient.invalidateQueries(trpc.posts.events.infiniteQueryFilter({ postId: id }));
  if (event === 'post.metrics') return { lists: false, calendars: false };
  const changes: PostChanges = Object.fromEntries(
    EVENT_FIELDS.filter((name) => name in fields).map((name) => [name, fields[name]]),
  );
  const status = IMPLIED[event] ?? changes.status;
  const isListed = patchPost(queryClient, trpc, id, { ...changes, ...(status !== undefined && { status }) });
  // Its row in a list without filters says nothing about lists of one status.
  const isElsewhere = status !== undefined && isMisplaced(queryClient, trpc, id, status);
  void queryClient.invalidateQueries(trpc.posts.get.queryFilter({ postId: id }));
  void queryClient.invalidateQueries(trpc.posts.attempts.queryFilter({ postId: id }));
  const at = event === 'post.deleted' ? undefined : (fields.sentAt ?? fields.scheduledFor ?? fields.createdAt);
  const isMissing = at !== undefined && markCalendarsWithout(queryClient, trpc, id, at);
  // The event does not tell whether the post has left its queue.
  const mayLeaveQueue = event === 'post.rescheduled' && isInCalendar(queryClient, trpc, id);
  return { lists: !isListed || isElsewhere, calendars: isMissing || mayLeaveQueue };
}

type Resource =
  | 'connections'
  | 'connect'
  | 'profiles'
  | 'keys'
  | 'webhooks'
  | 'calendars'
  | 'imports'
  | 'feeds'
  | 'approvals'
  | 'stops'
  | 'policies'
  | 'media'
  | 'account'
  | 'audit'
  | 'analytics'
  | 'people'
  | 'posts';

/** What ends, or loses what it was made under, with a key, an agent, a person or a profile. */
const MADE_UNDER: readonly Resource[] = ['keys', 'people', 'policies', 'webhooks', 'calendars', 'approvals', 'posts'];

/**
 * Resources whose answers an operation changes, by its name, or for most operations by the first part of it. Posts are
 * lists with their own rules.
 */
const CHANGES: Readonly<Record<string, readonly Resource[]>> = {
  connections: ['connections'],
  connect: ['connections', 'connect'],
  profiles: ['profiles'],
  // Agents are listed with the name of their profile.
  'profiles.update': ['profiles', 'people'],
  'profiles.delete': ['profiles', 'connections', 'connect', 'feeds', ...MADE_UNDER],
  keys: ['keys'],
  'keys.revoke': MADE_UNDER,
  'keys.revokeOfProfile': MADE_UNDER,
  oauth: ['people', 'policies'],
  'oauth.revoke': MADE_UNDER,
  'oauth.replay': MADE_UNDER,
  webhooks: ['webhooks'],
  calendars: ['calendars'],
  imports: ['imports'],
  feeds: ['feeds'],
  approvals: ['approvals'],
  stops: ['stops', 'posts'],
  policies: ['policies', 'keys', 'people'],
  media: ['media', 'account'],
  account: ['account'],
  posts: ['connections', 'approvals'],
  people: ['people'],
  'people.changeRole': MADE_UNDER,
  'people.remove': MADE_UNDER,
  'people.leave': MADE_UNDER,
  owner: ['people'],
};

function resourcesOf(operation: string): readonly Resource[] {
  return ['audit', ...(CHANGES[operation] ?? CHANGES[operation.split('.')[0] ?? ''] ?? [])];
}

/** Resources whose answers an event changes besides those of its post, by the beginning of its name. */
const EVENT_RESOURCES: Readonly<Record<string, Resource>> = {
  'connection.': 'connections',
  'webhook.': 'webhooks',
  'feed.': 'feeds',
  'post.approv': 'approvals',
  'post.rejected': 'approvals',
};

function resourcesWith(event: string, post: Partial<Post> | undefined): Resource[] {
  const named = Object.entries(EVENT_RESOURCES).flatMap(([start, name]) => (event.startsWith(start) ? [name] : []));
  // No event says that a connection has to be made again; the posts that it no longer takes do.
  return post?.error?.code === 'reconnect_required' ? [...named, 'connections'] : named;
}

function parse(data: string): Record<string, unknown> {
  try {
    return JSON.parse(data) as Record<string, unknown>;
  } catch {
    return {};
  }
}
