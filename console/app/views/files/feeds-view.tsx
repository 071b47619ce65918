/** Feeds: RSS and Atom documents whose new items become posts. The open one is in the address. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTRPC } from '../../data/trpc.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Link } from '../../ui/link.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { toast } from '../../ui/toasts.tsx';
import { Rss } from '../../ui/view-icons.tsx';
import { FeedPanel } from './feed-panel.tsx';
import { FeedState } from './feed-state.tsx';
import { type Feed, intervalInWords, readFeedsAgainMs } from './feed-words.ts';
import { PlacesHead } from './places.tsx';

const FeedForm = lazy(() => import('./feed-form.tsx'));

const route = getRouteApi('/files/feeds');

/** An account has at most 100 feeds. */
const ALL = 100;

export function FeedsView() {
  const { feed: feedId } = route.useSearch();
  const query = useQuery(
    useTRPC().feeds.list.queryOptions(
      { limit: ALL },
      { refetchInterval: ({ state }) => readFeedsAgainMs(state.data?.feeds ?? []) },
    ),
  );
  return (
    <>
      <PlacesHead title="Feeds" />
      {feedId !== undefined && <FeedPanel key={feedId} feedId={feedId} />}
      <Panel title="Feeds">
        <QueryView what="the feeds" query={query}>
          {({ feeds }) =>
            feeds.length === 0 ? (
              <EmptyState icon={Rss} title="No feed yet">
                Carillon reads the RSS or Atom feed of a blog, a podcast or a shop, and makes a post of each new item.
                Add the first one below.
              </EmptyState>
            ) : (
              <ul className="rows" aria-label="Feeds, newest first">
                {feeds.map((feed) => (
                  <FeedRow key={feed.id} feed={feed} />
                ))}
              </ul>
            )
          }
        </QueryView>
      </Panel>
      <Refusal of="posts:write" />
      {feedId === undefined && (
        <Allowed to="posts:write">
          <NewFeed />
        </Allowed>
      )}
    </>
  );
}

function FeedRow({ feed }: { feed: Feed }) {
  const { id, url, enabled, connectionSlugs, delivery, intervalMinutes } = feed;
  return (
    <li>
      <p>
        <Link to="/files/feeds" search={{ feed: id }} className="link">
          <bdi>{url}</bdi>
        </Link>{' '}
        <StatusBadge status={enabled ? 'enabled' : 'disabled'} />
      </p>
      <p className="hint">
        {delivery === 'draft' ? 'Drafts' : 'Queued posts'} for {connectionSlugs.join(', ')}, polled{' '}
        {intervalInWords(intervalMinutes)}
      </p>
      <FeedState feed={feed} />
    </li>
  );
}

function NewFeed() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [version, setVersion] = useState(0);
  const adding = useMutation(
    trpc.feeds.create.mutationOptions({
      onSuccess: ({ feed: { id } }) => {
        setVersion((before) => before + 1);
        toast('The feed is added.');
        void navigate({ to: '/files/feeds', search: { feed: id } });
      },
      onSettled: () => queryClient.invalidateQueries(trpc.feeds.pathFilter()),
    }),
  );
  return (
    <Panel title="Add a feed">
      <Suspense fallback={<Loading what="the fields" />}>
        <FeedForm
          key={version}
          action="Add the feed"
          isPending={adding.isPending}
          failure={adding.error}
          onSubmit={({ profileId, ...fields }) =>
            adding.mutate({ ...fields, ...(profileId !== null && { profileId }) })
          }
        />
      </Suspense>
    </Panel>
  );
}
