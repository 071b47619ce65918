/** The active keys of the account, for choices and names. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { type Outputs, useTRPC } from './trpc.ts';
import { usePages } from './use-pages.ts';

type Key = Outputs['keys']['list']['keys'][number];

const PAGE = 100;
const PAGES_MAX = 20;

/** @returns the keys that are read until now, oldest first: at most 2,000 */
export function useKeys(): readonly Key[] {
  const query = useInfiniteQuery(
    useTRPC().keys.list.infiniteQueryOptions(
      { limit: PAGE },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  );
  usePages(query, PAGES_MAX);
  return query.data?.pages.flatMap(({ keys }) => keys) ?? [];
}
