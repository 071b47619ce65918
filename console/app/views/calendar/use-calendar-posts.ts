/**
 * The posts of the calendar. The API filters by the time of acceptance and not by that of sending, so all scheduled posts
 * are read, and those sent and failed posts that were accepted up to 31 days before the first day.
 */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Inputs, useTRPC } from '../../data/trpc.ts';
import { usePages } from '../../data/use-pages.ts';
import { addDays, type Day } from '../../ui/zoned.ts';
import { filterOf } from '../posts/search.ts';
import type { CalendarSearch } from './search.ts';

const PAGE = 100;
const PAGES_MAX = 20;
const AHEAD_DAYS = 31;

export function useCalendarPosts({ platform, connection, profileId, tag }: CalendarSearch, first: Day, last: Day) {
  const filter = filterOf({
    ...(platform !== undefined && { platform }),
    ...(connection !== undefined && { connection }),
    ...(profileId !== undefined && { profileId }),
    ...(tag !== undefined && { tag }),
  });
  const accepted = { from: addDays(first, -AHEAD_DAYS), to: addDays(last, 1) };
  const scheduled = useAllPosts({ ...filter, status: 'scheduled' });
  const sent = useAllPosts({ ...filter, ...accepted, status: 'sent' });
  const failed = useAllPosts({ ...filter, ...accepted, status: 'failed' });
  return { scheduled, sent, failed };
}

function useAllPosts(filter: NonNullable<Inputs['posts']['list']>) {
  const query = useInfiniteQuery(
    useTRPC().posts.list.infiniteQueryOptions(
      { ...filter, limit: PAGE },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  );
  const isCut = usePages(query, PAGES_MAX);
  const { data } = query;
  const posts = useMemo(() => data?.pages.flatMap((page) => page.posts) ?? [], [data]);
  return { query, posts, isCut };
}
