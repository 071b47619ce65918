/** What endless lists need of the result of useInfiniteQuery. */
export interface EndlessQuery {
  readonly hasNextPage: boolean;
  /** Whether the next page or all pages are being read. A read of the next page would end one of all pages, which stay stale. */
  readonly isFetching: boolean;
  readonly isFetchingNextPage: boolean;
  readonly isFetchNextPageError: boolean;
  readonly error: unknown;
  fetchNextPage(): unknown;
}
