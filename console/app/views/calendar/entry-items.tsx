/** A post or a free slot in the calendar. */
import { Button } from 'react-aria-components/Button';
import { Allowed, useCan } from '../../shell/rights.tsx';
import { dayInWords } from '../../ui/day-words.ts';
import type { Icon } from '../../ui/icon.tsx';
import { CircleCheck, Clock, Plus, TriangleAlert } from '../../ui/icons.tsx';
import { startDrag } from '../../ui/post-drag.ts';
import { directionOf, type KeyEvent } from './arrow-keys.ts';
import { type Step, useCalendar } from './calendar-context.ts';
import { useDrop } from './drop.ts';
import type { Entry, Post, PostEntry, SlotEntry } from './entries.ts';

export function EntryItem({ entry, isWeek }: { entry: Entry; isWeek: boolean }) {
  if (entry.kind === 'post') return <PostItem entry={entry} isWeek={isWeek} />;
  return (
    <Allowed to="posts:write">
      <SlotItem entry={entry} />
    </Allowed>
  );
}

const ICONS: Partial<Record<Post['status'], Icon>> = { sent: CircleCheck, failed: TriangleAlert };

function PostItem({ entry, isWeek }: { entry: PostEntry; isWeek: boolean }) {
  const { nudge, open } = useCalendar();
  const { post } = entry;
  const isMovable = useCan('posts:write') && post.status === 'scheduled';
  const Icon = ICONS[post.status] ?? Clock;
  const words = post.text.slice(0, 120);
  return (
    <li draggable={isMovable} onDragStart={(event) => startDrag(event, post.id)}>
      <Button
        id={`entry-${post.id}`}
        className={`entry entry-${post.status}`}
        aria-label={`${entry.time} ${words}, ${post.status}, ${post.connectionSlug}, ${dayInWords(entry.wall.day)}`}
        onPress={() => open(entry)}
        onKeyDown={(event) => {
          const step = isMovable ? stepOf(event, isWeek) : null;
          if (step === null) return event.continuePropagation();
          event.preventDefault();
          nudge(entry, step);
        }}
      >
        <Icon aria-hidden size={14} />
        <span className="entry-time">{entry.time}</span> <bdi className="entry-text">{words}</bdi>
      </Button>
    </li>
  );
}

/** Shift and an arrow move a post: by a day, and up and down by a week in the month, by an hour in the week. */
function stepOf(event: KeyEvent, isWeek: boolean): Step | null {
  const direction = event.shiftKey ? directionOf(event) : null;
  if (direction === null) return null;
  const { across, down } = direction;
  return isWeek ? { days: across, hours: down } : { days: across + 7 * down, hours: 0 };
}

function SlotItem({ entry }: { entry: SlotEntry }) {
  const { compose } = useCalendar();
  const { slug, id } = entry.connection;
  return (
    <li {...useDrop({ slot: entry })}>
      <Button
        className="entry entry-slot"
        aria-label={`${entry.time} ${slug}, free slot on ${dayInWords(entry.wall.day)}: write a post`}
        onPress={() => compose(entry.instant, [id])}
      >
        <Plus aria-hidden size={14} />
        <span className="entry-time">{entry.time}</span> <span className="entry-text">{slug}</span>
      </Button>
    </li>
  );
}
