/** What goes out next. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNames } from '../../data/connections.ts';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { usePages } from '../../data/use-pages.ts';
import { Allowed } from '../../shell/rights.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { CalendarClock } from '../../ui/icons.tsx';
import { Link } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';

const SHOWN = 5;

/** The list is in order of acceptance and not of time, so the next posts are among all scheduled ones; this many are read. */
const PAGE = 100;
const PAGES_MAX = 10;

export function NextPosts() {
  const query = useInfiniteQuery(
    useTRPC().posts.list.infiniteQueryOptions(
      { status: 'scheduled', limit: PAGE },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  );
  usePages(query, PAGES_MAX);
  const all = (
    <Link to="/posts" search={{ status: 'scheduled' }} className="link">
      All scheduled
    </Link>
  );
  return (
    <Panel title="Next" aside={all}>
      <QueryView what="scheduled posts" query={query}>
        {({ pages: read }) => <Rows posts={read.flatMap(({ posts }) => posts)} isWhole={!query.hasNextPage} />}
      </QueryView>
    </Panel>
  );
}

type Post = Outputs['posts']['list']['posts'][number];

function Rows({ posts, isWhole }: { posts: readonly Post[]; isWhole: boolean }) {
  const names = useNames();
  const next = posts
    .filter(
      (post): post is Post & { scheduledFor: string } => post.status === 'scheduled' && post.scheduledFor !== null,
    )
    .toSorted((a, b) => a.scheduledFor.localeCompare(b.scheduledFor));
  if (next.length === 0) {
    return (
      <EmptyState
        icon={CalendarClock}
        title="Nothing is scheduled"
        action={
          <Allowed to="posts:write">
            <Link to="/compose" className="button button-plain">
              Schedule a post
            </Link>
          </Allowed>
        }
      >
        Posts that wait for their time or their slot show up here, the next one first.
      </EmptyState>
    );
  }
  return (
    <>
      <ol className="rows">
        {next.slice(0, SHOWN).map((post) => (
          <li key={post.id}>
            <p>
              <Link to="/posts/$postId" params={{ postId: post.id }} className="post-link one-line">
                <bdi>{post.text}</bdi>
              </Link>
            </p>
            <p className="hint">
              <Moment at={post.scheduledFor} /> to <b>{post.connectionSlug}</b> {names.platformOf(post)}
            </p>
          </li>
        ))}
      </ol>
      {!isWhole && (
        <p className="hint">
          These are the next among the {posts.length} posts that were scheduled last. Older ones may go out before.
        </p>
      )}
    </>
  );
}
