/** One post of the calendar: its text, the way to all about it, and the form that moves it. */
import { Heading } from 'react-aria-components/Heading';
import { useCan } from '../../shell/rights.tsx';
import { Sheet } from '../../shell/sheet.tsx';
import { Button } from '../../ui/button.tsx';
import { zonedTime } from '../../ui/day-words.ts';
import { Link } from '../../ui/link.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { MoveForm } from '../queues/move-form.tsx';
import type { Target } from '../queues/use-move.ts';
import type { PostEntry } from './entries.ts';
import { movableOf } from './movable.ts';

export interface EntrySheetProps {
  readonly entry: PostEntry;
  readonly zone: string;
  readonly freeSlots: readonly number[];
  onMove(to: Target): void;
  onClose(): void;
}

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function EntrySheet({ entry, zone, freeSlots, onMove, onClose }: EntrySheetProps) {
  const { post, instant } = entry;
  const canWrite = useCan('posts:write');
  return (
    <Sheet label={`Post to ${post.connectionSlug}`} place="middle" onClose={onClose}>
      <Heading slot="title">Post to {post.connectionSlug}</Heading>
      <p>
        <StatusBadge status={post.status} /> {zonedTime(instant, zone)} ({zone})
      </p>
      <p dir="auto" className="entry-words">
        {post.text}
      </p>
      <p>
        <Link to="/posts/$postId" params={{ postId: post.id }} className="link">
          All about this post
        </Link>
      </p>
      {canWrite && post.status === 'scheduled' ? (
        <MoveForm post={movableOf(entry)} zone={zone} freeSlots={freeSlots} onMove={onMove} />
      ) : (
        <div className="actions">
          <Button slot="close">Close</Button>
        </div>
      )}
    </Sheet>
  );
}
