/** The coming slots of a queue in order, each with the post that waits for it, or free. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { Connection } from '../../data/connections.ts';
import { useTRPC } from '../../data/trpc.ts';
import { Allowed } from '../../shell/rights.tsx';
import { Button } from '../../ui/button.tsx';
import { zonedTime } from '../../ui/day-words.ts';
import { Link } from '../../ui/link.tsx';
import { useNow } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { dayAndTime, ZONE } from '../../ui/times.ts';
import { composeAt } from '../compose/search.ts';
import { HORIZON_MS, slotInstants } from './slots.ts';
import { useMove } from './use-move.ts';
import { type QueueItem, useFreshQueues } from './use-queues.ts';

// Most visits move nothing.
const MoveSheet = lazy(() => import('./move-sheet.tsx'));

/** More slots come by a press. */
const SHOWN = 14;

interface Place {
  readonly instant: number;
  readonly isSlot: boolean;
  readonly post: QueueItem | null;
}

export function ComingSlots({ connection }: { connection: Connection }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.connections.queue.queryOptions({ connectionId: connection.id }));
  const scheduled = useQuery(
    trpc.posts.list.queryOptions({ status: 'scheduled', connection: connection.id, limit: 100 }),
  );
  useFreshQueues(scheduled.data?.posts);
  return (
    <Panel title="Coming slots">
      <QueryView what="the queue" query={query}>
        {({ queue, paused }) => (
          <>
            {paused && queue.length > 0 && (
              <p className="hint">The queue is paused: these posts wait until it runs again.</p>
            )}
            <Places connection={connection} queue={queue} />
          </>
        )}
      </QueryView>
    </Panel>
  );
}

function Places({ connection, queue }: { connection: Connection; queue: readonly QueueItem[] }) {
  const { queueSlots, timezone: zone } = connection;
  const now = useNow();
  const [shown, setShown] = useState(SHOWN);
  const [moved, setMoved] = useState<QueueItem | null>(null);
  const { move, error } = useMove(zone);
  const instants = slotInstants(queueSlots, zone, now, now + HORIZON_MS);
  const places = placesOf(instants, queue);
  const freeSlots = places.filter(({ post }) => post === null).map(({ instant }) => instant);
  if (places.length === 0) return <p className="hint">Nothing is queued, and there are no slots.</p>;
  return (
    <>
      {error !== null && <ProblemView failure={error} />}
      <ol className="rows">
        {places.slice(0, shown).map((place) => (
          <li key={`${place.instant} ${place.post?.id}`} className="place">
            <p>
              <time dateTime={new Date(place.instant).toISOString()}>{zonedTime(place.instant, zone)}</time>
              {zone !== ZONE && (
                <span className="hint">{dayAndTime(new Date(place.instant).toISOString())} for you</span>
              )}
              {!place.isSlot && <span className="hint">no slot of the week</span>}
            </p>
            {place.post === null ? (
              <FreePlace instant={place.instant} connection={connection} />
            ) : (
              <TakenPlace post={place.post} onMove={setMoved} />
            )}
          </li>
        ))}
      </ol>
      {places.length > shown && <Button onPress={() => setShown(places.length)}>Show 30 days</Button>}
      {moved !== null && (
        <Suspense>
          <MoveSheet
            post={{ ...moved, isQueued: true, connectionId: connection.id }}
            text={moved.text}
            zone={zone}
            freeSlots={freeSlots}
            onMove={(to) => {
              setMoved(null);
              move({ ...moved, isQueued: true, connectionId: connection.id }, to);
            }}
            onClose={() => setMoved(null)}
          />
        </Suspense>
      )}
    </>
  );
}

function placesOf(instants: readonly number[], queue: readonly QueueItem[]): Place[] {
  const taken = queue.map((post) => ({ instant: Date.parse(post.scheduledFor), post }));
  const slots = new Set(instants);
  const held = new Set(taken.map(({ instant }) => instant));
  const free = instants.filter((instant) => !held.has(instant));
  return [
    ...taken.map(({ instant, post }) => ({ instant, post, isSlot: slots.has(instant) })),
    ...free.map((instant) => ({ instant, post: null, isSlot: true })),
  ].toSorted((a, b) => a.instant - b.instant);
}

function TakenPlace({ post, onMove }: { post: QueueItem; onMove(post: QueueItem): void }) {
  const words = post.text.slice(0, 60);
  return (
    <>
      <Link to="/posts/$postId" params={{ postId: post.id }} className="post-link one-line">
        <bdi>{post.text}</bdi>
      </Link>
      <Allowed to="posts:write">
        <Button aria-label={`Move ${words}`} onPress={() => onMove(post)}>
          Move
        </Button>
      </Allowed>
    </>
  );
}

function FreePlace({ instant, connection: { id, timezone } }: { instant: number; connection: Connection }) {
  return (
    <>
      <span className="soft">free</span>
      <Allowed to="posts:write">
        <Link
          to="/compose"
          search={composeAt(instant, [id])}
          className="button button-plain"
          aria-label={`Write a post for ${zonedTime(instant, timezone)}`}
        >
          Write
        </Link>
      </Allowed>
    </>
  );
}
