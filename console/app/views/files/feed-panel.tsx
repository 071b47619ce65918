/** One feed: its state, what can be done with it, its items, and its fields. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { pollPagesMs } from '../../data/poll-pages.ts';
import { useTRPC } from '../../data/trpc.ts';
import { Allowed } from '../../shell/rights.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Link, OutsideLink } from '../../ui/link.tsx';
import { Loading } from '../../ui/loading.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { toast } from '../../ui/toasts.tsx';
import { FeedState } from './feed-state.tsx';
import { type Feed, type FeedItem, ITEM_WORDS, readFeedsAgainMs } from './feed-words.ts';

const FeedForm = lazy(() => import('./feed-form.tsx'));

const PAGE = 25;

export function FeedPanel({ feedId }: { feedId: string }) {
  const query = useInfiniteQuery(
    useTRPC().feeds.get.infiniteQueryOptions(
      { feedId, limit: PAGE },
      {
        getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
        refetchInterval: ({ state }) => {
          const pages = state.data?.pages ?? [];
          return pollPagesMs(readFeedsAgainMs(pages.map(({ feed: read }) => read)), pages.length);
        },
      },
    ),
  );
  const feed = query.data?.pages.at(-1)?.feed;
  return (
    <>
      <Panel
        title="Feed"
        aside={
          <Link to="/files/feeds" className="link">
            Close
          </Link>
        }
      >
        <QueryView what="the feed" query={query}>
          {({ pages }) => (
            <>
              {feed !== undefined && <Head feed={feed} />}
              <Items items={pages.flatMap(({ items }) => items)} />
              <ShowMore what="items" query={query} />
            </>
          )}
        </QueryView>
      </Panel>
      {feed !== undefined && (
        <Allowed to="posts:write">
          <Change feed={feed} />
        </Allowed>
      )}
    </>
  );
}

function Head({ feed }: { feed: Feed }) {
  return (
    <>
      <p>
        <OutsideLink href={feed.url}>
          <bdi>{feed.url}</bdi>
        </OutsideLink>{' '}
        <StatusBadge status={feed.enabled ? 'enabled' : 'disabled'} />
      </p>
      <FeedState feed={feed} />
      <Allowed to="posts:write">
        <Buttons feed={feed} />
      </Allowed>
    </>
  );
}

function Buttons({ feed: { id: feedId, url, enabled } }: { feed: Feed }) {
  const [isAsked, setAsked] = useState(false);
  const { poll, toggle, removal } = useFeedActions(feedId);
  const failure = poll.error ?? toggle.error ?? removal.error;
  return (
    <>
      <div className="actions">
        {enabled && (
          <Button isPending={poll.isPending} onPress={() => poll.mutate({ feedId })}>
            Poll now
          </Button>
        )}
        <Button isPending={toggle.isPending} onPress={() => toggle.mutate({ feedId, enabled: !enabled })}>
          {enabled ? 'Pause' : 'Resume'}
        </Button>
        <Button look="danger" isPending={removal.isPending} onPress={() => setAsked(true)}>
          Delete
        </Button>
      </div>
      {failure !== null && <ProblemView failure={failure} />}
      <ConfirmDialog
        isOpen={isAsked}
        title="Delete the feed?"
        action="Delete"
        onConfirm={() => removal.mutate({ feedId })}
        onClose={() => setAsked(false)}
      >
        <p>
          Nothing more is read from <bdi>{url}</bdi>, and which items were seen is forgotten. Its posts and drafts stay.
          This cannot be undone.
        </p>
      </ConfirmDialog>
    </>
  );
}

function useFeedActions(feedId: string) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const onSettled = () => queryClient.invalidateQueries(trpc.feeds.pathFilter());
  const poll = useMutation(
    trpc.feeds.poll.mutationOptions({
      onSuccess: () => toast('The feed is polled within a minute.'),
      onSettled,
    }),
  );
  const toggle = useMutation(
    trpc.feeds.update.mutationOptions({
      onSuccess: ({ feed: { enabled } }) =>
        toast(enabled ? 'The feed is resumed.' : 'The feed is paused.', () =>
          toggle.mutate({ feedId, enabled: !enabled }),
        ),
      onSettled,
    }),
  );
  const removal = useMutation(
    trpc.feeds.delete.mutationOptions({
      onSuccess: async () => {
        toast('The feed is deleted.');
        await navigate({ to: '/files/feeds' });
      },
      onSettled,
    }),
  );
  return { poll, toggle, removal };
}

function Items({ items }: { items: readonly FeedItem[] }) {
  if (items.length === 0) return <p>No items were read yet.</p>;
  return (
    <>
      <h3>Items</h3>
      <ol className="rows" aria-label="Items, latest first">
        {items.map((item) => (
          <Item key={item.id} item={item} />
        ))}
      </ol>
    </>
  );
}

function Item({ item: { title, link, status, postIds, error, createdAt } }: { item: FeedItem }) {
  const name = <bdi>{title === '' ? (link ?? 'An item without a title') : title}</bdi>;
  return (
    <li>
      <p>{link === null ? name : <OutsideLink href={link}>{name}</OutsideLink>}</p>
      <p className="hint">
        <QuietMoment at={createdAt} />: {ITEM_WORDS[status]}
      </p>
      {postIds.length > 0 && (
        <p>
          {postIds.map((postId, index) => (
            <span key={postId}>
              {index > 0 && ', '}
              <Link to="/posts/$postId" params={{ postId }} className="link">
                {postIds.length === 1 ? 'The post' : `Post ${index + 1}`}
              </Link>
            </span>
          ))}
        </p>
      )}
      {error !== null && (
        <p className="problem" dir="auto">
          {error.message}
        </p>
      )}
    </li>
  );
}

function Change({ feed }: { feed: Feed }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { id: feedId, url, template, delivery, intervalMinutes, connectionSlugs } = feed;
  const before = { url, template, delivery, intervalMinutes, connectionSlugs };
  const change = useMutation(
    trpc.feeds.update.mutationOptions({
      onSuccess: () => toast('The feed is changed.', () => revert.mutate({ feedId, ...before })),
      onSettled: () => queryClient.invalidateQueries(trpc.feeds.pathFilter()),
    }),
  );
  const revert = useMutation(
    trpc.feeds.update.mutationOptions({
      onSettled: () => queryClient.invalidateQueries(trpc.feeds.pathFilter()),
    }),
  );
  return (
    <Panel title="Change the feed">
      <Suspense fallback={<Loading what="the fields" />}>
        <FeedForm
          feed={feed}
          action="Save"
          isPending={change.isPending}
          failure={change.error ?? revert.error}
          onSubmit={({ profileId: _profile, ...fields }, settle) =>
            void change.mutateAsync({ feedId, ...fields }).then(settle, () => undefined)
          }
        />
      </Suspense>
    </Panel>
  );
}
