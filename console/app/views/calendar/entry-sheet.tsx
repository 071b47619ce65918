/** One post of the calendar: its text, the way to all about it, and the form that moves it. */
import { useQuery } from '@tanstack/react-query';
import { Heading } from 'react-aria-components/Heading';
import type { Connection } from '../../data/connections.ts';
import { useTRPC } from '../../data/trpc.ts';
import { useCan } from '../../shell/rights.tsx';
import { Sheet } from '../../shell/sheet.tsx';
import { Button } from '../../ui/button.tsx';
import { zonedTime } from '../../ui/day-words.ts';
import { Link } from '../../ui/link.tsx';
import { Loading } from '../../ui/loading.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { MoveForm } from '../queues/move-form.tsx';
import { HORIZON_MS, slotInstants } from '../queues/slots.ts';
import type { Target } from '../queues/moves.ts';
import type { PostEntry } from './entries.ts';
import { movableOf } from './movable.ts';

export interface EntrySheetProps {
  readonly entry: PostEntry;
  /** Whether the calendar no longer has the post. `entry` is then what it was. */
  readonly isGone: boolean;
  /** The connection of the post; undefined when it is gone. */
  readonly connection: Connection | undefined;
  readonly zone: string;
  readonly now: number;
  onMove(to: Target): void;
  onClose(): void;
}

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function EntrySheet({ entry, isGone, connection, zone, now, onMove, onClose }: EntrySheetProps) {
  const { post, instant } = entry;
  const isMovable = useCan('posts:write') && post.status === 'scheduled' && !isGone;
  return (
    <Sheet label={`Post to ${post.connectionSlug}`} place="middle" onClose={onClose}>
      <Heading slot="title">Post to {post.connectionSlug}</Heading>
      <p role="status">
        {isGone ? (
          'The calendar no longer shows this post: it was cancelled, or its time or its tags were changed.'
        ) : (
          <>
            <StatusBadge status={post.status} /> {zonedTime(instant, zone)} ({zone})
          </>
        )}
      </p>
      <p dir="auto" className="entry-words">
        {post.text}
      </p>
      <p>
        <Link to="/posts/$postId" params={{ postId: post.id }} className="link">
          All about this post
        </Link>
      </p>
      {isMovable ? (
        <Move entry={entry} connection={connection} zone={zone} now={now} onMove={onMove} />
      ) : (
        <div className="actions">
          <Button slot="close">Close</Button>
        </div>
      )}
    </Sheet>
  );
}

/** Reads the queue of the connection: its free slots go on after the days that the calendar shows. */
function Move({ entry, connection, zone, now, onMove }: Omit<EntrySheetProps, 'isGone' | 'onClose'>) {
  const { queueSlots = [], timezone = zone } = connection ?? {};
  const { data, isLoading } = useQuery({
    ...useTRPC().connections.queue.queryOptions({ connectionId: entry.post.connectionId }),
    enabled: queueSlots.length > 0,
  });
  if (isLoading) return <Loading what="the queue" />;
  const taken = new Set(data?.queue.map(({ scheduledFor }) => Date.parse(scheduledFor)));
  const instants = data === undefined ? [] : slotInstants(queueSlots, timezone, now, now + HORIZON_MS);
  const freeSlots = instants.filter((instant) => !taken.has(instant));
  return <MoveForm post={movableOf(entry)} zone={zone} freeSlots={freeSlots} onMove={onMove} />;
}
