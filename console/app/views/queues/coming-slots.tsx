/** The coming slots of a queue in order, each with the post that waits for it, or free. */
import { useQuery } from '@tanstack/react-query';
import { type DragEvent, lazy, Suspense, useLayoutEffect, useRef, useState } from 'react';
import type { Connection } from '../../data/connections.ts';
import { useTRPC } from '../../data/trpc.ts';
import { Allowed, useCan } from '../../shell/rights.tsx';
import { Button } from '../../ui/button.tsx';
import { zonedTime } from '../../ui/day-words.ts';
import { Link } from '../../ui/link.tsx';
import { useNow } from '../../ui/moment.tsx';
import { MoveButtons } from '../../ui/move-buttons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { dropPlace, startDrag } from '../../ui/post-drag.ts';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { dayAndTime, ZONE } from '../../ui/times.ts';
import { composeAt } from '../compose/search.ts';
import { HORIZON_MS, slotInstants } from './slots.ts';
import { useMove } from './use-move.ts';
import { useQueueOrder } from './use-queue-order.ts';
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

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function ComingSlots({ connection }: { connection: Connection }) {
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

function Places({ connection, queue: known }: { connection: Connection; queue: readonly QueueItem[] }) {
  const { queueSlots, timezone: zone } = connection;
  const now = useNow();
  const [shown, setShown] = useState(SHOWN);
  const [moved, setMoved] = useState<QueueItem | null>(null);
  const { move, error } = useMove(zone);
  const order = useQueueOrder(connection.id, known);
  const { queue } = order;
  // The post as it is now: it may change while its dialog is open.
  const present = queue.find(({ id }) => id === moved?.id);
  const movable = present && { ...present, isQueued: true, connectionId: connection.id };
  const canOrder = useCan('posts:write') && queue.length > 1;
  const keepFocus = useFocusAfterMove();
  const instants = slotInstants(queueSlots, zone, now, now + HORIZON_MS);
  const places = placesOf(instants, queue);
  const freeSlots = places.filter(({ post }) => post === null).map(({ instant }) => instant);
  if (places.length === 0) return <p className="hint">Nothing is queued, and there are no slots.</p>;
  return (
    <>
      {error !== null && <ProblemView failure={error} />}
      {order.error !== null && <ProblemView failure={order.error} />}
      <ol className="rows">
        {places.slice(0, shown).map((place) => (
          <li
            key={place.post?.id ?? place.instant}
            className="place"
            {...(canOrder && place.post !== null && dragOf(place.post.id, order.moveOnto))}
          >
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
              <TakenPlace
                post={place.post}
                index={queue.indexOf(place.post)}
                count={queue.length}
                onMove={setMoved}
                onOrder={(post, by) => {
                  keepFocus(post.id, by);
                  order.moveBy(post.id, by);
                }}
              />
            )}
          </li>
        ))}
      </ol>
      {places.length > shown && <Button onPress={() => setShown(places.length)}>Show 30 days</Button>}
      {moved !== null && (
        <Suspense>
          <MoveSheet
            post={movable}
            text={moved.text}
            zone={zone}
            freeSlots={freeSlots}
            onMove={(to) => {
              setMoved(null);
              if (movable !== undefined) move(movable, to);
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

/** Properties of a post that is dragged to the place of another one, and takes such posts. */
function dragOf(postId: string, moveOnto: (postId: string, otherId: string) => void) {
  return {
    draggable: true,
    onDragStart: (event: DragEvent) => startDrag(event, postId),
    ...dropPlace((dragged) => moveOnto(dragged, postId)),
  };
}

/** The row that moves is drawn at another place: the focus goes along, to a button that can still be pressed. */
function useFocusAfterMove() {
  const wanted = useRef<readonly string[]>([]);
  // Before the next key press, which would go to the page.
  useLayoutEffect(() => {
    const buttons = wanted.current.map((id) => document.getElementById(id));
    buttons.find((button) => button !== null && !button.hasAttribute('disabled'))?.focus();
    wanted.current = [];
  });
  return (postId: string, by: number) => {
    const [up, down] = [`order-${postId}-up`, `order-${postId}-down`];
    wanted.current = by < 0 ? [up, down] : [down, up];
  };
}

interface TakenPlaceProps {
  readonly post: QueueItem;
  /** Its place among the posts of the queue, from 0. */
  readonly index: number;
  readonly count: number;
  onMove(post: QueueItem): void;
  /** Moves it earlier or later by so many posts. */
  onOrder(post: QueueItem, by: number): void;
}

function TakenPlace({ post, index, count, onMove, onOrder }: TakenPlaceProps) {
  const words = post.text.slice(0, 60);
  return (
    <>
      <Link to="/posts/$postId" params={{ postId: post.id }} className="post-link one-line">
        <bdi>{post.text}</bdi>
      </Link>
      <Allowed to="posts:write">
        <MoveButtons
          id={`order-${post.id}`}
          what={words}
          index={index}
          count={count}
          onMove={(_index, by) => onOrder(post, by)}
        />
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
