/** The posts that go out or went out on the days of the calendar. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CalendarPost } from '../../data/live/calendar-cache.ts';
import { present } from '../../data/search.ts';
import { type Inputs, useTRPC } from '../../data/trpc.ts';
import { usePages } from '../../data/use-pages.ts';
import { type Day, endOf, instantOf } from '../../ui/zoned.ts';
import { usePendingTimes } from '../queues/pending-times.ts';
import type { CalendarSearch } from './search.ts';

/** The most that the API gives at once. */
const PAGE = 500;
const PAGES_MAX = 20;

/** The most posts that are read. */
export const POSTS_MAX = PAGE * PAGES_MAX;

type Input = Inputs['posts']['calendar'];

export function useCalendarPosts(search: CalendarSearch, zone: string, days: readonly Day[]) {
  const query = useInfiniteQuery(
    useTRPC().posts.calendar.infiniteQueryOptions(
      { ...filterOf(search), ...rangeOf(days, zone), limit: PAGE },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  );
  const isCut = usePages(query, PAGES_MAX);
  const { data } = query;
  const times = usePendingTimes();
  const posts = useMemo(() => {
    const read = data?.pages.flatMap((page) => page.posts) ?? [];
    // The others stay the same objects.
    const moved = (post: CalendarPost) => ({ ...post, at: times.get(post.id) ?? post.at });
    return read.map((post) => (times.has(post.id) ? moved(post) : post));
  }, [data, times]);
  return { query, posts, isCut };
}

/** The filters as the API takes them. It refuses a platform that it does not know. */
function filterOf({ profileId, platform, connection, tag }: CalendarSearch): Partial<Input> {
  return present({ profileId, platform: platform as Input['platform'], connection, tag });
}

/** All instants of the days. */
function rangeOf(days: readonly Day[], zone: string): Pick<Input, 'from' | 'to'> {
  const [first = '', last = first] = [days[0], days.at(-1)];
  return {
    from: new Date(instantOf({ day: first, time: '00:00' }, zone)).toISOString(),
    to: new Date(endOf(last, zone)).toISOString(),
  };
}
