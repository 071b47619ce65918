/** The window and the filters of the metrics, read from the address. */
import { oneOfIn, present, textIn, textsIn } from '../../data/search.ts';
import type { Inputs, Outputs } from '../../data/api-types.ts';
import { isZone } from '../../ui/zoned.ts';
import { type ConnectionSearch, readConnectionSearch } from '../../filters/connection-search.ts';

type Filter = Inputs['analytics']['get'];
export type Analytics = Outputs['analytics']['get'];

/** Lengths of the windows that end today, in days. */
export const PRESETS = ['7', '30', '90', '365'] as const;

/** The window of an address that names none. */
export const DEFAULT_PRESET = '30' satisfies Preset;

type Preset = (typeof PRESETS)[number];

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

export interface AnalyticsSearch extends ConnectionSearch {
  readonly days?: Preset;
  /** UTC days; they win over `days`. */
  readonly from?: string;
  readonly to?: string;
  /** Tags; a post must have all of them. */
  readonly tag?: string[];
  /** Zone of the best times; the browser's unless said. */
  readonly zone?: string;
}

export function readAnalyticsSearch(search: Record<string, unknown>): AnalyticsSearch {
  const day = (name: string) => {
    const text = textIn(search, name);
    return text !== undefined && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
  };
  const zone = textIn(search, 'zone');
  return present({
    days: oneOfIn(search, 'days', PRESETS),
    from: day('from'),
    to: day('to'),
    tag: textsIn(search, 'tag'),
    zone: zone !== undefined && isZone(zone) ? zone : undefined,
    ...readConnectionSearch(search),
  });
}

/** What the API is asked for. It refuses a window that is too long and a platform that it does not know. */
export function filterOf(search: AnalyticsSearch, now: number): Filter {
  const { days = DEFAULT_PRESET, from, to, profileId, platform, connection, tag } = search;
  const today = new Date(now).toISOString().slice(0, 10);
  const preset = { from: addDays(today, 1 - Number(days)), to: today };
  const own = present({ from, to });
  return {
    ...(hasOwnDates(search) ? own : preset),
    ...present({ profileId, connectionSlug: connection, tag }),
    ...(platform !== undefined && { platform: platform as NonNullable<Filter['platform']> }),
  };
}

/** Whether the window has days that a person chose, in place of a length. */
export function hasOwnDates({ from, to }: AnalyticsSearch): boolean {
  return from !== undefined || to !== undefined;
}

/** The window of the same length that ends on the day before. */
export function windowBefore({ from, to }: Pick<Analytics, 'from' | 'to'>): { from: string; to: string } {
  const length = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return { from: addDays(from, -length), to: addDays(from, -1) };
}

function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}
