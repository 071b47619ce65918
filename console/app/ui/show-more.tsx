/** The end of an endless list: reads the next page when it comes into view, or at a press. */
import { useEffect, useRef } from 'react';
import { Button } from './button.tsx';
import type { EndlessQuery } from './endless-query.ts';
import { Loading } from './loading.tsx';
import { ProblemView } from './problem-view.tsx';

export interface ShowMoreProps {
  /** What the list holds, such as "profiles". */
  readonly what: string;
  readonly query: EndlessQuery;
}

/** The next page is read this far before its place is in view. */
const AHEAD = '600px';

export function ShowMore({ what, query }: ShowMoreProps) {
  const { hasNextPage, isFetching, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = query;
  const end = useRef<HTMLDivElement>(null);
  const isWaiting = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  const mayRead = isWaiting && !isFetching;
  useEffect(() => {
    if (!mayRead || end.current === null) return;
    const watch = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) fetchNextPage();
      },
      { rootMargin: AHEAD },
    );
    watch.observe(end.current);
    return () => watch.disconnect();
  }, [mayRead, fetchNextPage]);
  return (
    <div ref={end}>
      {isFetchingNextPage && <Loading what={`more ${what}`} />}
      {isWaiting && <Button onPress={() => fetchNextPage()}>Show more {what}</Button>}
      {isFetchNextPageError && (
        <ProblemView failure={error} action={<Button onPress={() => fetchNextPage()}>Try again</Button>} />
      )}
    </div>
  );
}
