/** The metrics of the API with their names for people. */
import { LOCALE } from '../../ui/times.ts';
import type { Analytics } from './search.ts';

type Metric = Exclude<keyof Analytics['days'][number], 'day'>;

/** In the order in which they are shown. */
export const METRICS = [
  'posts',
  'impressions',
  'likes',
  'reposts',
  'replies',
  'clicks',
] as const satisfies readonly Metric[];

/** The metrics of one row, such as a day or a tag. */
export type Metrics = { readonly [Name in Metric]: number | null };

export const METRIC_NAMES: Readonly<Record<Metric, string>> = {
  posts: 'Posts sent',
  impressions: 'Impressions',
  likes: 'Likes',
  reposts: 'Reposts',
  replies: 'Replies',
  clicks: 'Clicks',
};

const dayName = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' });

/** Midnight of a UTC day as a local time: charts show local times, and this one shows the same date. */
export function instantOf(day: string): string {
  return `${day}T00:00:00`;
}

/** Such as "22 Nov 2026", for the day of an instant or a day. */
export function nameOfDay(instant: string): string {
  return dayName.format(new Date(instantOf(instant.slice(0, 10))));
}
