/** Posts: filters, an endless list, and actions on the selected ones. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTRPC } from '../../data/trpc.ts';
import { Allowed } from '../../shell/rights.tsx';
import { useTitle } from '../../shell/use-title.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Inbox } from '../../ui/icons.tsx';
import { Link } from '../../ui/link.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { PostList } from './post-list.tsx';
import { PostFilters } from './post-filters.tsx';
import { filterOf } from './search.ts';
import './posts.css';

const route = getRouteApi('/posts');

/** The most that the API gives at once. */
const PAGE = 100;

export function PostsView() {
  useTitle('Posts');
  const search = route.useSearch();
  const trpc = useTRPC();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const query = useInfiniteQuery(
    trpc.posts.list.infiniteQueryOptions(
      { ...filterOf(search), limit: PAGE },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  );
  const posts = useMemo(() => query.data?.pages.flatMap((page) => page.posts) ?? [], [query.data]);
  const isFiltered = Object.keys(search).length > 0;

  return (
    <>
      <header className="view-head">
        <h1>Posts</h1>
        <Allowed to="posts:write">
          <Link to="/compose" className="button button-primary">
            Write a post
          </Link>
        </Allowed>
      </header>
      <PostFilters search={search} />
      <Allowed to="posts:write">
        <BulkBar posts={posts} selected={selected} onSelect={setSelected} />
      </Allowed>
      <QueryView what="posts" query={query}>
        {() =>
          posts.length === 0 ? (
            <NoPosts isFiltered={isFiltered} />
          ) : (
            <PostList posts={posts} selected={selected} onSelect={setSelected} query={query} />
          )
        }
      </QueryView>
    </>
  );
}

function NoPosts({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState
        icon={Inbox}
        title="No post matches"
        action={
          <Link to="/posts" className="button button-plain">
            Show all posts
          </Link>
        }
      >
        Leave out a filter, or search for fewer words.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Inbox}
      title="No posts yet"
      action={
        <Allowed to="posts:write">
          <Link to="/compose" className="button button-primary">
            Write a post
          </Link>
        </Allowed>
      }
    >
      Carillon makes one post for each connection that you send a text to. This list shows what happened to each.
    </EmptyState>
  );
}
