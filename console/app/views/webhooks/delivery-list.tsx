/** The deliveries of a webhook, newest first, with the result of the latest attempt, and a replay of each. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { pollPagesMs } from '../../data/poll-pages.ts';
import { useTRPC } from '../../data/trpc.ts';
import { Link } from '../../ui/link.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { ATTEMPTS_MAX, type Delivery, type ListedStatus, LISTED_STATUSES, readAgainMs } from './deliveries.ts';
import type { Webhook } from './event-names.ts';
import { ReplayButton } from './replay-button.tsx';

const route = getRouteApi('/webhooks/$webhookId');

/** A choice cannot have an empty value. */
const ALL = 'all';

const PAGE = 25;

export function DeliveryList({ webhook: { id: webhookId, enabled } }: { webhook: Webhook }) {
  const { status } = route.useSearch();
  const navigate = useNavigate();
  const query = useInfiniteQuery(
    useTRPC().webhooks.deliveries.infiniteQueryOptions(
      { webhookId, limit: PAGE, ...(status !== undefined && { status }) },
      {
        getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
        refetchInterval: ({ state }) => {
          const pages = state.data?.pages ?? [];
          return pollPagesMs(readAgainMs(pages.flatMap(({ deliveries }) => deliveries)), pages.length);
        },
      },
    ),
  );
  return (
    <Panel title="Deliveries">
      <RadioChoice<ListedStatus | typeof ALL>
        label="Status"
        value={status ?? ALL}
        choices={([ALL, ...LISTED_STATUSES] as const).map((value) => ({ value, label: value }))}
        onChange={(value) =>
          void navigate({
            to: '/webhooks/$webhookId',
            params: { webhookId },
            search: value === ALL ? {} : { status: value },
          })
        }
      />
      <QueryView what="the deliveries" query={query}>
        {({ pages }) => (
          <>
            <Rows
              deliveries={pages.flatMap(({ deliveries }) => deliveries)}
              isFiltered={status !== undefined}
              webhookId={webhookId}
              mayReplay={enabled}
            />
            <ShowMore what="deliveries" query={query} />
          </>
        )}
      </QueryView>
      <p className="hint">Deliveries are kept for 30 days, dead ones for 30 days from their last attempt.</p>
    </Panel>
  );
}

interface RowsProps {
  readonly deliveries: readonly Delivery[];
  readonly isFiltered: boolean;
  readonly webhookId: string;
  /** A disabled webhook receives no replay. */
  readonly mayReplay: boolean;
}

function Rows({ deliveries, isFiltered, ...row }: RowsProps) {
  if (deliveries.length === 0) {
    return (
      <p>
        {isFiltered
          ? 'No delivery has this status.'
          : 'Nothing was delivered yet. A test event shows whether the address answers.'}
      </p>
    );
  }
  return (
    <ol className="rows" aria-label="Deliveries, newest first">
      {deliveries.map((delivery) => (
        <DeliveryRow key={delivery.id} delivery={delivery} {...row} />
      ))}
    </ol>
  );
}

function DeliveryRow({
  delivery,
  webhookId,
  mayReplay,
}: {
  delivery: Delivery;
  webhookId: string;
  mayReplay: boolean;
}) {
  const { id, event, status, attempts, createdAt, nextAttemptAt, deliveredAt, lastStatusCode, lastError } = delivery;
  const { status: filter } = route.useSearch();
  const row = useRef<HTMLLIElement>(null);
  return (
    <li ref={row} tabIndex={-1} className="row-with-action">
      <div>
        <p>
          <b>{event}</b> <StatusBadge status={status} />
        </p>
        <p className="hint">
          Queued <QuietMoment at={createdAt} />. Attempts: {attempts} of {ATTEMPTS_MAX}.
          {status === 'pending' && (
            <>
              {' '}
              {attempts === 0 ? 'First' : 'Next'} attempt <QuietMoment at={nextAttemptAt} />.
            </>
          )}
          {deliveredAt !== null && (
            <>
              {' '}
              Delivered <QuietMoment at={deliveredAt} />.
            </>
          )}
          {lastStatusCode !== null && ` The receiver answered ${lastStatusCode}.`}
        </p>
        {lastError !== null && <p className="bad">{lastError}</p>}
        <p className="hint">
          Id <code>{id}</code>
        </p>
        <Link
          to="/webhooks/$webhookId"
          params={{ webhookId }}
          search={{ delivery: id, ...(filter !== undefined && { status: filter }) }}
          className="link"
          aria-label={`Body and attempts of ${event} ${id}`}
        >
          Body and attempts
        </Link>
      </div>
      <ReplayButton
        webhookId={webhookId}
        delivery={delivery}
        isEnabled={mayReplay}
        onReplayed={() => row.current?.focus()}
      />
    </li>
  );
}
