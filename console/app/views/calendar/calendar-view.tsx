/** Calendar: the posts and the free slots of a month or a week, in a chosen time zone. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useConnections } from '../../data/connections.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { useTitle } from '../../shell/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { dayInWords, monthInWords, weekdayName } from '../../ui/day-words.ts';
import { ChevronLeft, ChevronRight } from '../../ui/icons.tsx';
import { useNow } from '../../ui/moment.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ZONE } from '../../ui/times.ts';
import { addDays, addMonths, type Day, monthOf, wallAt, weekOf } from '../../ui/zoned.ts';
import { WEEKDAYS } from '../queues/slots.ts';
import { CalendarBoard } from './calendar-board.tsx';
import type { CalendarChanges } from './search.ts';
import './calendar.css';

// Days are shown first: lists of choices are a sixth of the script.
const CalendarFilters = lazy(() => import('./calendar-filters.tsx'));

const route = getRouteApi('/calendar');

export function CalendarView() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/calendar' });
  const query = useConnections();
  const zone = search.zone ?? ZONE;
  const today = wallAt(useNow(), zone).day;
  const date = search.date ?? today;
  const isWeek = search.view === 'week';
  const days = isWeek ? weekOf(date) : monthOf(date);
  const title = isWeek ? weekInWords(days) : monthInWords(date);
  useTitle(`${title} - Calendar`);

  const change = (changes: CalendarChanges) =>
    void navigate({ to: '/calendar', search: { ...present({ ...search, ...changes }) } });
  const go = (count: number) => change({ date: isWeek ? addDays(date, 7 * count) : addMonths(date, count) });
  const show = (view: 'week' | undefined) => change({ view });
  const group = 'Calendar';
  useShortcuts([
    { keys: 'j', label: 'Next month or week', group, run: () => go(1) },
    { keys: 'k', label: 'Previous month or week', group, run: () => go(-1) },
    { keys: 't', label: 'Today', group, run: () => change({ date: undefined }) },
    { keys: 'm', label: 'Month', group, run: () => show(undefined) },
    { keys: 'w', label: 'Week', group, run: () => show('week') },
  ]);

  return (
    <div className="calendar-page">
      <header className="view-head">
        <h1>Calendar</h1>
        <div className="calendar-switch">
          <Button aria-pressed={!isWeek} onPress={() => show(undefined)}>
            Month
          </Button>
          <Button aria-pressed={isWeek} onPress={() => show('week')}>
            Week
          </Button>
        </div>
      </header>
      <div className="calendar-bar">
        <h2 aria-live="polite">{title}</h2>
        <div className="calendar-switch">
          <Button look="icon" aria-label={isWeek ? 'Previous week' : 'Previous month'} onPress={() => go(-1)}>
            <ChevronLeft aria-hidden size={20} />
          </Button>
          <Button onPress={() => change({ date: undefined })}>Today</Button>
          <Button look="icon" aria-label={isWeek ? 'Next week' : 'Next month'} onPress={() => go(1)}>
            <ChevronRight aria-hidden size={20} />
          </Button>
        </div>
      </div>
      <search className="calendar-filters">
        <Suspense fallback={<div className="calendar-filters-space" />}>
          <CalendarFilters search={search} onChange={change} />
        </Suspense>
      </search>
      <p className="hint">
        Times are in {zone}.{' '}
        <span className="calendar-help">
          Drag a scheduled post, or focus it and press Shift with an arrow key, to move it. Arrow keys lead from day to
          day.
        </span>
      </p>
      <div className="weekdays" aria-hidden>
        {WEEKDAYS.map((weekday) => (
          <span key={weekday}>{weekdayName(weekday)}</span>
        ))}
      </div>
      <QueryView what="connections" query={query}>
        {({ connections }) => (
          <CalendarBoard
            search={search}
            zone={zone}
            days={days}
            month={isWeek ? null : date.slice(0, 7)}
            connections={connections}
          />
        )}
      </QueryView>
    </div>
  );
}

function present(search: CalendarChanges) {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

function weekInWords(days: readonly Day[]): string {
  const [first = '', last = ''] = [days[0], days[6]];
  return `${dayInWords(first)} to ${dayInWords(last)} ${last.slice(0, 4)}`;
}
