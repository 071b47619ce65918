/** What endless lists need of the result of useInfiniteQuery. */
export interface EndlessQuery {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly isFetchNextPageError: boolean;
  readonly error: unknown;
  fetchNextPage(): unknown;
}
