/** The one place that adds to the daily metrics of posts. */

/** Columns that are summed. */
const SUMS = [
  'posts',
  'read_posts',
  'impression_posts',
  'impressions',
  'likes',
  'reposts',
  'replies',
  'clicks',
] as const;

/** Means "no profile" in `daily_numbers.profile_id`. */
export const NO_PROFILE = '00000000-0000-0000-0000-000000000000';

/** SQL: the UTC day of an instant. */
export function utcDay(instant: string): string {
  return `(${instant} at time zone 'UTC')::date`;
}

/**
 * SQL statement that adds `changes`, a table or CTE with account_id, profile_id, platform_id, connection_slug, mode,
 * sent_at and every column of {@link SUMS}. Rows are locked in one order, so that two workers cannot deadlock.
 */
export function addToDailyMetrics(changes: string): string {
  return `
    insert into daily_numbers (account_id, scope, profile_id, day, platform_id, connection_slug, mode, ${SUMS.join(', ')})
    select c.account_id, s.scope, s.profile_id, ${utcDay('c.sent_at')}, c.platform_id, s.slug, c.mode,
      ${SUMS.map((column) => `sum(c.${column})`).join(', ')}
    from ${changes} c cross join lateral (values
      ('account', '${NO_PROFILE}'::uuid, ''),
      ('connection', coalesce(c.profile_id, '${NO_PROFILE}'::uuid), c.connection_slug)) as s(scope, profile_id, slug)
    group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
    on conflict (account_id, scope, profile_id, day, platform_id, connection_slug, mode) do update set
      ${SUMS.map((column) => `${column} = daily_numbers.${column} + excluded.${column}`).join(', ')}`;
}
