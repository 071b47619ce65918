/** The endless list: only the rows on screen are in the document, and more are read before the end is reached. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useNames } from '../../data/connections.ts';
import { Button } from '../../ui/button.tsx';
import type { EndlessQuery } from '../../ui/endless-query.ts';
import { Loading } from '../../ui/loading.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import type { Post } from './post-actions.ts';
import { PostRow } from './post-row.tsx';

/** A guess; rows are measured once they are shown. */
const ROW_PX = 92;

/** Rows kept ready beyond the screen, and distance from the end at which more are read. */
const OVERSCAN = 8;
const AHEAD = 40;

export interface PostListProps {
  readonly posts: readonly Post[];
  readonly selected: ReadonlySet<string>;
  onSelect(ids: ReadonlySet<string>): void;
  readonly query: EndlessQuery;
}

export function PostList({ posts, selected, onSelect, query }: PostListProps) {
  const { hasNextPage, isFetching, isFetchingNextPage, fetchNextPage, isFetchNextPageError, error } = query;
  const names = useNames();
  const feed = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => setMargin(feed.current?.offsetTop ?? 0), []);
  const virtualizer = useWindowVirtualizer({
    count: posts.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollMargin: margin,
    getItemKey: (index) => posts[index]?.id ?? index,
  });
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isFetchNextPageError && last >= posts.length - AHEAD) fetchNextPage();
  }, [hasNextPage, isFetching, isFetchNextPageError, last, posts.length, fetchNextPage]);

  // Rows keep the first function that they were given.
  const latest = useRef(selected);
  useEffect(() => {
    latest.current = selected;
  }, [selected]);
  const toggle = (id: string) => {
    const next = new Set(latest.current);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
  const focusRow = (index: number) => {
    virtualizer.scrollToIndex(index, { align: 'auto' });
    requestAnimationFrame(() => feed.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
    if (row === null) return;
    const index = Number(row.dataset['index']);
    const step = { PageDown: 1, PageUp: -1, j: 1, k: -1 }[event.key];
    if (event.key === 'x' && posts[index] !== undefined) toggle(posts[index].id);
    if (step === undefined || posts[index + step] === undefined) return;
    event.preventDefault();
    focusRow(index + step);
  };

  return (
    <>
      <div
        ref={feed}
        role="feed"
        aria-label="Posts, newest first"
        aria-busy={isFetchingNextPage}
        className="post-feed"
        style={{ height: virtualizer.getTotalSize() }}
        onKeyDown={onKeyDown}
      >
        {rows.map(({ index, start, key }) => {
          const post = posts[index];
          if (post === undefined) return null;
          return (
            <PostRow
              key={key}
              ref={virtualizer.measureElement}
              post={post}
              platform={names.platformOf(post)}
              index={index}
              total={hasNextPage ? -1 : posts.length}
              top={start - margin}
              isSelected={selected.has(post.id)}
              onToggle={() => toggle(post.id)}
            />
          );
        })}
      </div>
      {isFetchingNextPage && <Loading what="more posts" />}
      {isFetchNextPageError && (
        <ProblemView failure={error} action={<Button onPress={() => fetchNextPage()}>Try again</Button>} />
      )}
    </>
  );
}
