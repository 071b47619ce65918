/**
 * Lists the caller's posts by the time at which they go out or went out, earliest first
 * (docs/contract/scheduling.md#calendar).
 */
import { ServiceError } from '../../errors/service-error.ts';
import { storedError } from '../../errors/item-error.ts';
import type { PlatformId } from '../../platforms/registry.ts';
import type { Caller } from '../access/caller.ts';
import { requireProfileFilter } from '../access/profile-exists.ts';
import type { Context } from '../context.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';
import { timeCursor, type TimePosition } from './time-cursor.ts';
import { connectionsNamed } from './connections-named.ts';
import { type CalendarRow, calendarRows } from './calendar-rows.ts';
import { type CalendarPlan, hasMorePosts, hasMorePostsOnAverage, planCalendar } from './plan-calendar.ts';

/** Longest range: a month as calendars show it, with days of the months around it, and some room. */
export const RANGE_MAX_DAYS = 62;

export const CALENDAR_PAGE_MAX = 500;

const DAY_MS = 86_400_000;

export interface CalendarFilter {
  readonly from: Date;
  /** Not included. */
  readonly until: Date;
  readonly profileId?: string | undefined;
  /** Id of a connection, or a slug, which also matches deleted connections. */
  readonly connection?: string | undefined;
  readonly platform?: PlatformId | undefined;
  /** Tags; a post must have all of them. */
  readonly tag?: readonly string[] | undefined;
  /** 1 to {@link CALENDAR_PAGE_MAX}. */
  readonly limit: number;
  /** The page starts after this position. */
  readonly cursor?: TimePosition | undefined;
}

/**
 * @throws ServiceError invalid_request when the range ends before it begins or has more than {@link RANGE_MAX_DAYS}
 *   days, or `profileId` is not a profile that the caller reaches
 */
export async function listCalendar(context: Context, caller: Caller, filter: CalendarFilter) {
  const { profileId, connection, limit } = filter;
  checkRange(filter);
  await requireProfileFilter(context, caller, profileId);
  const connections = connection === undefined ? null : await connectionsNamed(context, caller, connection);
  const rows = await readRows(context, caller, filter, connections);
  const posts = rows.slice(0, limit).map(calendarPost);
  const last = posts.at(-1);
  return { posts, nextCursor: rows.length > limit && last !== undefined ? timeCursor(last) : null };
}

function checkRange({ from, until }: CalendarFilter): void {
  if (until <= from) {
    const message = `to: the range ends before it begins, at ${from.toISOString()}. Send a later one, or an earlier from.`;
    throw new ServiceError('invalid_request', message);
  }
  // A range between two instants includes the last millisecond.
  const days = Math.ceil((+until - +from - 1) / DAY_MS);
  if (days <= RANGE_MAX_DAYS) return;
  const message = `to: the range has ${days} days; the limit is ${RANGE_MAX_DAYS}. Ask for a shorter range.`;
  throw new ServiceError('invalid_request', message);
}

/** The first window is this part of the range; a busy account finds a whole page in it. */
const FIRST_PART = 1 / 256;

/** Each window that does not fill the page is followed by one at most as many times as long. */
const GROWTH_MAX = 16;

/** How many times the posts of a page a first window is to hold, because they are not distributed evenly. */
const FIRST_MARGIN = 1.5;

/** Milliseconds of the first window. */
function firstLength({ from, until }: Pick<CalendarFilter, 'from' | 'until'>, limit: number, { apart }: CalendarPlan) {
  return Math.ceil(apart === null ? (+until - +from) * FIRST_PART : apart.matchMs * (limit + 1) * FIRST_MARGIN);
}

/** How many times as long as a window the next one is: long enough for twice the rows that are missing. */
function growth(found: number, missing: number): number {
  return found === 0 ? GROWTH_MAX : Math.min(Math.max(Math.ceil((2 * missing) / found), 1), GROWTH_MAX);
}

/** One row more than the page, if there is one. Reads window after window, because a page is a small part of most ranges. */
async function readRows(
  context: Context,
  caller: Caller,
  { profileId, platform, tag = [], limit, cursor, ...range }: CalendarFilter,
  connections: readonly string[] | null,
): Promise<CalendarRow[]> {
  const em = context.db.em();
  const filter = { profileId, platform, tag, connections };
  let look = 0;
  let plan = await planCalendar(em, caller, filter, range, look);
  const isResumed = cursor !== undefined && cursor.at >= range.from;
  const rows: CalendarRow[] = [];
  const start = isResumed ? cursor.at : range.from;
  let from = start;
  let afterId = isResumed ? cursor.id : null;
  let length = firstLength(range, limit, plan);
  while (from < range.until && rows.length <= limit) {
    const next = new Date(Math.min(+from + length, +range.until));
    const isCostly =
      from === start
        ? hasMorePostsOnAverage(plan, length)
        : await hasMorePosts(em, caller, filter, plan, { from, until: next });
    if (isCostly) {
      look += 1;
      plan = await planCalendar(em, caller, filter, range, look);
      continue;
    }
    const until = plan.narrow === null ? next : range.until;
    const window = { from, until, afterId, limit: limit + 1 - rows.length };
    const found = await calendarRows(em, caller, filter, plan.narrow, window).execute();
    rows.push(...found);
    from = until;
    afterId = null;
    length *= growth(found.length, limit + 1 - rows.length);
  }
  return rows;
}

function calendarPost(row: CalendarRow) {
  return {
    id: row.id,
    text: row.text,
    status: row.status,
    at: timestamp(row.at),
    scheduledFor: timestampOrNull(row.scheduled_for),
    sentAt: timestampOrNull(row.sent_at),
    connectionId: row.connection_id,
    connectionSlug: row.connection_slug,
    platformId: row.platform_id,
    profileId: row.profile_id,
    queued: row.queued,
    tags: row.tags,
    error: storedError(row),
  };
}
