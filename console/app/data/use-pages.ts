/** Reads the pages of an endless list without a press, up to a number of pages. */
import { useEffect } from 'react';

interface PagedQuery {
  readonly data: { readonly pages: readonly unknown[] } | undefined;
  readonly hasNextPage: boolean;
  readonly isFetching: boolean;
  readonly isFetchNextPageError: boolean;
  fetchNextPage(): unknown;
}

/** @returns whether there are more pages than are read */
export function usePages(query: PagedQuery, max: number): boolean {
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query;
  const pages = data?.pages.length ?? 0;
  // A page that cannot be read is not asked for again at once, and then again.
  const isWanted = hasNextPage && !isFetching && !isFetchNextPageError && pages < max;
  const wantedPage = isWanted ? pages : null;
  useEffect(() => {
    if (wantedPage !== null) void fetchNextPage();
  }, [wantedPage, fetchNextPage]);
  return hasNextPage && pages >= max;
}
