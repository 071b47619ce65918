/** Keeps calendars in the cache true: rows that they have are patched, and others are read again at a limited rate. */
import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query';
import type { Inputs, Outputs, Trpc } from '../api-types.ts';
import { refreshAtRest } from './refresh-at-rest.ts';
import { writeLists } from './write-lists.ts';

type Page = Outputs['posts']['calendar'];
export type CalendarPost = Page['posts'][number];
type Calendar = InfiniteData<Page>;
type Post = Outputs['posts']['list']['posts'][number];
type Range = Pick<Inputs['posts']['calendar'], 'from' | 'to'>;

/** What changes in a post, under the names of its row in a calendar. */
export interface CalendarChanges extends Partial<Pick<Post, 'status' | 'error' | 'scheduledFor' | 'text' | 'tags'>> {
  readonly sentAt?: string | null;
}

const STATUSES: readonly Post['status'][] = [
  'scheduled',
  'processing',
  'sent',
  'failed',
] satisfies CalendarPost['status'][];

function hasRow({ posts }: Page, id: string): boolean {
  return posts.some((post) => post.id === id);
}

/** The row after the changes; null when calendars no longer show the post. */
export function changedRow(row: CalendarPost, changes: CalendarChanges): CalendarPost | null {
  const { status = row.status, error = row.error, text = row.text, tags = row.tags } = changes;
  if (!isShown(status)) return null;
  const scheduledFor = changes.scheduledFor === undefined ? row.scheduledFor : changes.scheduledFor;
  const sentAt = status === 'sent' ? (changes.sentAt ?? row.sentAt) : null;
  return { ...row, status, error, text, tags, scheduledFor, sentAt, at: sentAt ?? scheduledFor ?? row.at };
}

function isShown(status: Post['status']): status is CalendarPost['status'] {
  return STATUSES.includes(status);
}

/** Writes known changes into the rows of a post, in every calendar that has it. */
export function patchCalendars(queryClient: QueryClient, trpc: Trpc, id: string, changes: CalendarChanges): void {
  const changed = (post: CalendarPost) => (post.id === id ? (changedRow(post, changes) ?? []) : post);
  const patched = (page: Page) => (hasRow(page, id) ? { ...page, posts: page.posts.flatMap(changed) } : page);
  writeLists<Calendar>(queryClient, trpc.posts.calendar.pathFilter(), (calendar) =>
    calendar.pages.some((page) => hasRow(page, id)) ? { ...calendar, pages: calendar.pages.map(patched) } : calendar,
  );
}

/** Whether any calendar has the post. */
export function isInCalendar(queryClient: QueryClient, trpc: Trpc, id: string): boolean {
  const calendars = queryClient.getQueriesData<Calendar>(trpc.posts.calendar.pathFilter());
  return calendars.some(([, calendar]) => calendar?.pages.some((page) => hasRow(page, id)));
}

/**
 * Marks the calendars stale that have no row of a post although its time is in their range.
 *
 * @param at instant at which the post goes out or went out
 * @returns whether one of them is on the screen, so that calendars must be read again
 */
export function markCalendarsWithout(queryClient: QueryClient, trpc: Trpc, id: string, at: string): boolean {
  const isWithout = ({ queryKey, state }: Query) => {
    const [, { input } = {}] = queryKey as [unknown, { input?: Range }?];
    const calendar = state.data as Calendar | undefined;
    const isInRange = input !== undefined && input.from <= at && at <= input.to;
    return isInRange && calendar?.pages.some((page) => hasRow(page, id)) !== true;
  };
  const without = queryClient.getQueryCache().findAll(trpc.posts.calendar.pathFilter()).filter(isWithout);
  for (const { queryKey } of without)
    void queryClient.invalidateQueries({ queryKey, exact: true, refetchType: 'none' });
  return without.some((query) => query.isActive());
}

/** Reads the calendars on the screen again, at a limited rate. */
export function refreshCalendars(queryClient: QueryClient, trpc: Trpc): void {
  refreshAtRest(queryClient, trpc.posts.calendar.pathFilter());
}
