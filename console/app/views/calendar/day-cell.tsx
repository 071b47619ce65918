/** A day of the calendar: in a month with its first entries, in a week with its hours. */
import { useMemo, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { useCan } from '../../shell/rights.tsx';
import { dayInWords } from '../../ui/day-words.ts';
import { Link } from '../../ui/link.tsx';
import { addDays, type Day, timeAt, wallAt } from '../../ui/zoned.ts';
import { HORIZON_MS } from '../queues/slots.ts';
import { directionOf, type KeyEvent } from './arrow-keys.ts';
import { useCalendar } from './calendar-context.ts';
import { useDrop } from './drop.ts';
import type { Entry } from './entries.ts';
import { EntryItem } from './entry-items.tsx';
import { HOURS, type HourOfDay, type HourSpan, hoursOf, isIn, newPostTime } from './places.ts';

/** More entries of a day in a month are behind a link to the week. */
const SHOWN = 5;

/** More entries of an hour in a week are shown at a press. */
const SHOWN_IN_HOUR = 8;

interface DayProps {
  readonly day: Day;
  readonly entries: readonly Entry[];
}

export function MonthDay({ day, entries, isOutside }: DayProps & { isOutside: boolean }) {
  const { isPrinting } = useCalendar();
  const shown = entries.length > SHOWN && !isPrinting ? entries.slice(0, SHOWN - 1) : entries;
  return (
    <li className="day" data-outside={isOutside || undefined} {...useDrop({ day })}>
      <DayHead day={day} rows={7} />
      <ul className="entries">
        {shown.map((entry) => (
          <EntryItem key={entry.key} entry={entry} isWeek={false} />
        ))}
      </ul>
      {entries.length > shown.length && (
        <Link
          to="/calendar"
          search={(before) => ({ ...before, view: 'week' as const, date: day })}
          className="link day-more"
          aria-label={`${entries.length - shown.length} more on ${dayInWords(day)}`}
        >
          {entries.length - shown.length} more
        </Link>
      )}
    </li>
  );
}

export function WeekDay({ day, entries }: DayProps) {
  const { zone } = useCalendar();
  const hours = useMemo(() => hoursOf(day, zone), [day, zone]);
  return (
    <li className="day">
      <DayHead day={day} rows={1} />
      <ol className="hours">
        {hours.map(({ hour, spans }) => (
          <Hour key={hour} day={day} hour={hour} spans={spans} entries={entries} />
        ))}
      </ol>
    </li>
  );
}

/** An hour is one row in all days of a week, also if clocks show it twice or not at all. */
function Hour({ day, hour, spans, entries }: DayProps & HourOfDay) {
  const shown = spans.map((span) => entries.filter(({ instant }) => isIn(span, instant)));
  return (
    <li className="hour" data-empty={shown.every((some) => some.length === 0) || undefined}>
      {spans.length === 0 && <span className="hour-head">{hour}:00 is skipped</span>}
      {spans.map((span, index) => {
        const place = index === 0 ? `${day} ${hour}` : `${day} ${hour} ${index + 1}`;
        return <Span key={span.start} day={day} span={span} place={place} entries={shown[index] ?? []} />;
      })}
    </li>
  );
}

function Span({ day, span, place, entries }: DayProps & { span: HourSpan; place: string }) {
  const { zone, now, compose, targets, isPrinting } = useCalendar();
  const [isOpened, setOpened] = useState(false);
  const isWhole = isOpened || isPrinting || entries.length <= SHOWN_IN_HOUR;
  const shown = isWhole ? entries : entries.slice(0, SHOWN_IN_HOUR - 1);
  const canWrite = useCan('posts:write');
  const drop = useDrop({ span });
  const time = timeAt(span.start, zone);
  return (
    <div className="hour-span" {...drop}>
      {canWrite && isOpen(span.start, now) ? (
        <Button
          // Hours are reached by the arrow keys: 168 stops for Tab would hide the posts.
          excludeFromTabOrder
          className="hour-head"
          data-place={place}
          aria-label={`Write a post for ${time} ${dayInWords(day)}`}
          onKeyDown={(event) => moveFocus(event, place, 1)}
          onPress={() => compose(span.start, targets)}
        >
          {time}
        </Button>
      ) : (
        <span className="hour-head">{time}</span>
      )}
      <ul className="entries">
        {shown.map((entry) => (
          <EntryItem key={entry.key} entry={entry} isWeek />
        ))}
      </ul>
      {!isWhole && (
        <Button
          className="button button-quiet day-more"
          aria-label={`${entries.length - shown.length} more at ${time} ${dayInWords(day)}`}
          onPress={() => setOpened(true)}
        >
          {entries.length - shown.length} more
        </Button>
      )}
    </div>
  );
}

/** @param rows how many days an arrow up or down goes; 1 in a week, where it leads to the hours */
function DayHead({ day, rows }: { day: Day; rows: number }) {
  const { zone, now, compose, targets } = useCalendar();
  const canWrite = useCan('posts:write');
  const isToday = wallAt(now, zone).day === day;
  const instant = newPostTime(day, now, zone);
  const words = (
    <>
      <span className="day-name">{dayInWords(day)}</span>
      <span className="day-number" aria-hidden>
        {Number(day.slice(8))}
      </span>
    </>
  );
  return (
    <h3 className="day-head" aria-current={isToday ? 'date' : undefined}>
      {canWrite && isOpen(instant, now) ? (
        <Button
          className="day-link"
          data-place={day}
          aria-label={`Write a post for ${dayInWords(day)}`}
          onKeyDown={(event) => moveFocus(event, day, rows)}
          onPress={() => compose(instant, targets)}
        >
          {words}
        </Button>
      ) : (
        <span className="day-link">{words}</span>
      )}
    </h3>
  );
}

/** Whether a post can be scheduled for an instant. */
function isOpen(instant: number, now: number): boolean {
  return instant > now && instant <= now + HORIZON_MS;
}

/** The arrow keys go from day to day, and in a week from hour to hour. */
function moveFocus(event: KeyEvent, place: string, rows: number): void {
  const direction = event.shiftKey ? null : directionOf(event);
  if (direction === null) return event.continuePropagation();
  event.preventDefault();
  const { across, down } = direction;
  if (across === 0 && rows === 1) return focusInDay(place, down);
  const [day, hour] = [place.slice(0, 10), place.slice(10, 13)];
  // Hours that are over or skipped are passed.
  for (let steps = 1; steps <= HOURS.length; steps += 1) {
    const target = addDays(day, steps * (across + down * rows)) + hour;
    const found = document.querySelector<HTMLElement>(`button[data-place="${target}"]`);
    if (found !== null) return found.focus();
  }
}

/** To the next place of the same day that takes posts. */
function focusInDay(place: string, down: number): void {
  const places = [...document.querySelectorAll<HTMLElement>(`button[data-place^="${place.slice(0, 10)}"]`)];
  places[places.findIndex(({ dataset }) => dataset['place'] === place) + down]?.focus();
}
