/** What clients ask an install with a stored year. */
import * as year from './year-data.ts';

const DAY_MS = 86_400_000;
const day = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** Rows on a page of a list, and of the calendar. */
export const PAGE = 25;
const CALENDAR_PAGE = 100;

/** What a filter leaves of two months of the smaller install. */
const FEW = 8;

export interface Question {
  readonly name: string;
  readonly path: string;
  /** Name of the answer's list, and how many rows both sizes must give. */
  readonly rows?: { readonly of: string; readonly count: number };
}

const posts = (name: string, filter: string): Question => ({
  name: `list, ${name}`,
  path: `/posts?limit=${PAGE}${filter}`,
  rows: { of: 'posts', count: PAGE },
});

const calendar = (name: string, from: number, until: number, filter = '', count = CALENDAR_PAGE): Question => ({
  name: `calendar, ${name}`,
  path: `/calendar?limit=${count > 0 ? count : CALENDAR_PAGE}&from=${day(from)}&to=${day(until)}${filter}`,
  rows: { of: 'posts', count },
});

const analytics = (name: string, filter: string): Question => ({
  name: `analytics, ${name}`,
  path: `/analytics?from=${day(-364)}${filter}`,
  rows: { of: 'days', count: 365 },
});

export const QUESTIONS: readonly Question[] = [
  posts('plain', ''),
  posts('status=sent', '&status=sent'),
  posts('status=failed', '&status=failed'),
  posts('status=scheduled', '&status=scheduled'),
  posts('tag', `&tag=${year.SPREAD}`),
  posts('old tag', `&tag=${year.OLD}`),
  posts('profile', `&profileId=${year.SPREAD_PROFILE}`),
  posts('old profile', `&profileId=${year.OLD_PROFILE}`),
  posts('connection', '&connection=bench-1'),
  posts('platform', '&platform=bluesky'),
  posts('frequent tag and old profile', `&tag=news&profileId=${year.OLD_PROFILE}`),
  posts('profile and status', `&profileId=${year.SPREAD_PROFILE}&status=sent`),
  posts('connection and status', '&connection=bench-1&status=sent'),
  posts('half a year ago', `&to=${day(-180)}`),
  posts('word of each', `&q=${year.COMMON}`),
  posts('word of 1 in 40', `&q=${year.SPREAD}`),
  posts('word of 1 in 100', `&q=${year.SOME}`),
  posts('two words', `&q=${year.COMMON}%20${year.SOME}`),
  posts('word of old posts', `&q=${year.OLD}`),
  posts('word of 100 posts', `&q=${year.RARE}`),
  { name: 'list, word of no post', path: `/posts?limit=${PAGE}&q=zebra`, rows: { of: 'posts', count: 0 } },
  posts('word and status', `&q=${year.SPREAD}&status=sent`),
  posts('word and connection', `&q=${year.COMMON}&connection=bench-1`),
  calendar('last 31 days', -31, -1),
  calendar('31 days half a year ago', -200, -170),
  calendar('next 31 days', 0, 30),
  calendar('connection', -62, -1, '&connection=bench-1', FEW),
  calendar('platform', -62, -31, '&platform=bluesky', FEW),
  calendar('tag of 1 in 3', -62, -1, '&tag=news'),
  calendar('tag of 1 in 40', -62, -1, `&tag=${year.SPREAD}`, FEW),
  calendar('profile of 1 in 24', -62, -1, `&profileId=${year.SPREAD_PROFILE}`, FEW),
  calendar('old tag', -62, -1, `&tag=${year.OLD}`, 0),
  calendar('old profile', -62, -1, `&profileId=${year.OLD_PROFILE}`, 0),
  analytics('plain', ''),
  analytics('profile', `&profileId=${year.SPREAD_PROFILE}`),
  analytics('connection', '&connectionSlug=bench-1'),
  analytics('platform', '&platform=bluesky'),
  analytics('times of a small connection', `&include=times&connectionSlug=${year.SMALL_SLUG}`),
  { name: 'analytics, old tag', path: `/analytics?tag=${year.OLD}`, rows: { of: 'days', count: 30 } },
  { name: 'deliveries', path: '/webhooks/{webhookId}/deliveries?limit=25', rows: { of: 'deliveries', count: PAGE } },
  {
    name: 'deliveries, status=dead',
    path: '/webhooks/{webhookId}/deliveries?limit=25&status=dead',
    rows: { of: 'deliveries', count: PAGE },
  },
  { name: 'audit', path: '/audit?limit=25', rows: { of: 'entries', count: PAGE } },
  { name: 'audit, operation', path: '/audit?limit=25&operation=posts.delete', rows: { of: 'entries', count: PAGE } },
  { name: 'public statistics', path: '/stats' },
];
