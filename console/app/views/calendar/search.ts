/** The address of the calendar: what it shows, in which zone, with which filters. */
import { oneOfIn, present, textIn, textsIn } from '../../data/search.ts';
import { type Changes, type ConnectionSearch, readConnectionSearch } from '../../filters/connection-search.ts';
import { isDay, isZone } from '../../ui/zoned.ts';

export interface CalendarSearch extends ConnectionSearch {
  /** A month unless said. */
  readonly view?: 'week';
  /** A day of the month or week; today unless said. */
  readonly date?: string;
  /** The browser's zone unless said. */
  readonly zone?: string;
  /** Tags; a post must have all of them. */
  readonly tag?: string[];
}

export type CalendarChanges = Changes<CalendarSearch>;

export function readCalendarSearch(search: Record<string, unknown>): CalendarSearch {
  const checked = (name: string, isGood: (text: string) => boolean) => {
    const text = textIn(search, name);
    return text !== undefined && isGood(text) ? text : undefined;
  };
  return present({
    view: oneOfIn(search, 'view', ['week']),
    date: checked('date', isDay),
    zone: checked('zone', isZone),
    tag: textsIn(search, 'tag'),
    ...readConnectionSearch(search),
  });
}
