/** The events of a post, and where each was delivered. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { pollPagesMs } from '../../data/poll-pages.ts';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Link } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';

type PostEvent = Outputs['posts']['events']['events'][number];
type EventDelivery = PostEvent['deliveries'][number];

/** No event reports deliveries, so they are read again while one is open. */
const OFTEN_MS = 2_000;

function isOpen({ status, nextAttemptAt }: EventDelivery): boolean {
  if (status === 'processing') return true;
  return status === 'pending' && nextAttemptAt !== null && new Date(nextAttemptAt).getTime() < Date.now() + 60_000;
}

export function PostEvents({ postId }: { postId: string }) {
  const query = useInfiniteQuery(
    useTRPC().posts.events.infiniteQueryOptions(
      { postId },
      {
        getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
        refetchInterval: ({ state }) => {
          const pages = state.data?.pages ?? [];
          const deliveries = pages.flatMap((page) => page.events).flatMap((event) => event.deliveries);
          return deliveries.some(isOpen) && pollPagesMs(OFTEN_MS, pages.length);
        },
      },
    ),
  );
  return (
    <Panel title="Events">
      <QueryView what="the events" query={query}>
        {({ pages }) => (
          <>
            <Events events={pages.flatMap(({ events }) => events)} />
            <ShowMore what="events" query={query} />
          </>
        )}
      </QueryView>
    </Panel>
  );
}

function Events({ events }: { events: readonly PostEvent[] }) {
  if (events.length === 0) {
    return (
      <p className="hint">
        No event in the last 30 days. A post has one when it is sent, fails, moves to another time or is taken down.
      </p>
    );
  }
  return (
    <ol className="rows" aria-label="Events, newest first">
      {events.map(({ id, event, createdAt, deliveries }) => (
        <li key={id}>
          <p>
            <b>{event}</b> <Moment at={createdAt} />
          </p>
          {deliveries.length === 0 ? (
            <p className="hint">No webhook received it.</p>
          ) : (
            <ul className="deliveries-of-event">
              {deliveries.map((delivery) => (
                <DeliveryLine key={delivery.id} delivery={delivery} />
              ))}
            </ul>
          )}
        </li>
      ))}
    </ol>
  );
}

function DeliveryLine({ delivery }: { delivery: EventDelivery }) {
  const { id, webhookId, url, status, attempts, lastStatusCode, lastAttemptAt } = delivery;
  return (
    <li>
      <StatusBadge status={status} />{' '}
      <Link to="/webhooks/$webhookId" params={{ webhookId }} search={{ delivery: id }} className="link">
        <bdi>{url}</bdi>
      </Link>
      , {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
      {lastStatusCode !== null && `, answered ${lastStatusCode}`}
      {lastAttemptAt !== null && (
        <>
          , last <Moment at={lastAttemptAt} />
        </>
      )}
    </li>
  );
}
