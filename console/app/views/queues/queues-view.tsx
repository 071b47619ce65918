/** Queues: the weekly slots of a connection, and which post is in which of the coming ones. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { type Connection, useConnections, useNames } from '../../data/connections.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { useTitle } from '../../shell/use-title.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListOrdered } from '../../ui/view-icons.tsx';
import { Link } from '../../ui/link.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Select } from '../../ui/select.tsx';
import { QueueSwitch } from './queue-switch.tsx';
import { SlotForm } from './slot-form.tsx';
import { useQueueChange } from './use-queue-change.ts';
import { WeekGrid } from './week-grid.tsx';
import './queues.css';

// The week matters first, and text fields and the posts in the slots bring much.
const ComingSlots = lazy(() => import('./coming-slots.tsx'));
const ZoneForm = lazy(() => import('./zone-form.tsx'));

const route = getRouteApi('/queues');

export function QueuesView() {
  useTitle('Queues');
  const query = useConnections();
  return (
    <>
      <header className="view-head">
        <h1>Queues</h1>
      </header>
      <QueryView what="connections" query={query}>
        {({ connections }) => <Queues connections={connections} />}
      </QueryView>
    </>
  );
}

function Queues({ connections }: { connections: readonly Connection[] }) {
  const { connection: wanted } = route.useSearch();
  const navigate = useNavigate({ from: '/queues' });
  const names = useNames();
  const shown =
    connections.find(({ id }) => id === wanted) ??
    connections.find(({ queueSlots }) => queueSlots.length > 0) ??
    connections[0];
  if (shown === undefined) {
    return (
      <EmptyState
        icon={ListOrdered}
        title="No connections yet"
        action={
          <Link to="/connections" className="button button-primary">
            Connect an account
          </Link>
        }
      >
        Each connection has a queue: times of the week at which its queued posts go out, one after the other.
      </EmptyState>
    );
  }
  return (
    <>
      <Select
        label="Connection"
        value={shown.id}
        choices={connections.map(({ id, slug, platformId, queueSlots, queuePaused }) => ({
          value: id,
          label: `${slug} (${names.platform(platformId)}, ${slotsInWords(queueSlots.length)}${queuePaused ? ', paused' : ''})`,
        }))}
        onChange={(connection) => void navigate({ to: '/queues', search: { connection } })}
      />
      <Queue key={shown.id} connection={shown} />
    </>
  );
}

function slotsInWords(count: number): string {
  if (count === 0) return 'no slots';
  return count === 1 ? '1 slot' : `${count} slots`;
}

function Queue({ connection }: { connection: Connection }) {
  const change = useQueueChange(connection.id);
  const hasSlots = connection.queueSlots.length > 0;
  return (
    <>
      {change.error !== null && <ProblemView failure={change.error} />}
      <Panel
        title="Week"
        aside={
          hasSlots && (
            <Allowed to="connections:write">
              <QueueSwitch isPaused={connection.queuePaused} change={change} />
            </Allowed>
          )
        }
      >
        {hasSlots ? (
          <WeekGrid slots={connection.queueSlots} onRemove={(slot) => change.removeSlots([slot])} />
        ) : (
          <p className="hint">
            This queue has no slots yet. Add the times of the week at which queued posts are to go out.
          </p>
        )}
        <Refusal of="connections:write" />
        <Allowed to="connections:write">
          <SlotForm slots={connection.queueSlots} onAdd={change.addSlots} />
        </Allowed>
        <Suspense>
          <Allowed to="connections:write">
            <ZoneForm key={connection.timezone} zone={connection.timezone} onChange={change.setZone} />
          </Allowed>
        </Suspense>
      </Panel>
      <Suspense fallback={<Loading what="the queue" />}>
        <ComingSlots connection={connection} />
      </Suspense>
    </>
  );
}
