/** Analytics of the posts of a window, read from the daily metrics (docs/contract/metrics.md#analytics). */
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { PLATFORM_IDS, type PlatformId, TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { NO_PROFILE, utcDay } from '../metrics/daily-numbers.ts';
import { profileExists } from '../profiles/profile-exists.ts';
import {
  type DayNumbers,
  type DayView,
  dayViews,
  type PlatformView,
  platformViews,
  totalsOf,
  type TotalsView,
} from './add-up.ts';
import { type Window, windowOf } from './window.ts';

export interface AnalyticsFilter {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly profileId?: string | undefined;
  readonly platform?: PlatformId | undefined;
  readonly connectionSlug?: string | undefined;
}

export interface Analytics {
  totals: TotalsView;
  days: DayView[];
  byPlatform: PlatformView[];
  from: string;
  to: string;
}

/**
 * @throws ServiceError invalid_request for a window that is empty or too long, or a profile the caller does not reach
 */
export async function readAnalytics(context: Context, caller: Caller, filter: AnalyticsFilter): Promise<Analytics> {
  const window = windowOf(filter, context.clock.now());
  const { profileId } = filter;
  if (profileId !== undefined && !(await profileExists(context, caller, profileId))) {
    throw new ServiceError('invalid_request', `profileId: ${profileId} is not one of your profiles.`);
  }
  const { sql, parameters } = numbersQuery(caller, filter, window);
  const rows = await query<DayNumbers>(context.db.em(), sql, parameters);
  return {
    totals: totalsOf(rows),
    days: dayViews(rows, window),
    byPlatform: platformViews(rows, PLATFORM_IDS),
    ...window,
  };
}

const NUMBERS = ['impressions', 'likes', 'reposts', 'replies', 'clicks'];

/**
 * Reads the daily metrics and the recently sent posts that are not yet counted in them. It is one statement, so that a
 * post that is being counted is neither missed nor counted twice.
 */
function numbersQuery(caller: Caller, filter: AnalyticsFilter, window: Window) {
  const profileId = filter.profileId ?? caller.profileId;
  const parameters: unknown[] = [caller.accountId, window.from, window.to];
  const of = (value: unknown) => `$${parameters.push(value)}`;
  const conditions = ['account_id = $1'];
  // A live key counts posts of live keys; a test key counts all posts on the one platform it reaches.
  if (caller.mode === 'test') conditions.push(`platform_id = ${of(TEST_PLATFORM)}`);
  else conditions.push(`mode = 'live'`);
  if (filter.platform !== undefined) conditions.push(`platform_id = ${of(filter.platform)}`);
  if (filter.connectionSlug !== undefined) conditions.push(`connection_slug = ${of(filter.connectionSlug)}`);
  if (profileId !== null) conditions.push(`profile_id = ${of(profileId)}`);
  const where = conditions.join(' and ');
  const isWhole = profileId === null && filter.connectionSlug === undefined;
  const scope = isWhole ? `scope = 'account' and profile_id = '${NO_PROFILE}'` : `scope = 'connection'`;
  const sql = `
    select day::text as day, platform_id, sum(posts)::int as posts, sum(read_posts)::int as read_posts,
      sum(impression_posts)::int as impression_posts, ${NUMBERS.map((name) => `sum(${name})::float8 as ${name}`).join(', ')}
    from (
      select day, platform_id, posts, read_posts, impression_posts, ${NUMBERS.join(', ')} from daily_numbers
      where ${where} and ${scope} and day between $2::date and $3::date
      union all
      select ${utcDay('sent_at')}, platform_id, 1, 0, 0, 0, 0, 0, 0, 0 from posts
      where ${where} and sent_at is not null and not counted
        and sent_at >= $2::timestamp at time zone 'UTC' and sent_at < ($3::timestamp + interval '1 day') at time zone 'UTC'
    ) numbers group by 1, 2`;
  return { sql, parameters };
}
