/** The limits of each plan, as data (docs/contract/errors-and-limits.md#plans). */
import type { PlanName } from '../../entities/account.ts';

export interface Plan {
  /** Connections with a successful send within {@link ACTIVE_DAYS}; null for no limit. */
  readonly activeConnections: number | null;
  /** Live posts in a UTC day; null for no limit. */
  readonly postsPerDay: number | null;
  /** Whether the fees of paid platforms apply. */
  readonly fees: boolean;
}

export const PLANS: Readonly<Record<PlanName, Plan>> = {
  free: { activeConnections: 2, postsPerDay: 100, fees: true },
  pro: { activeConnections: null, postsPerDay: null, fees: true },
  unlimited: { activeConnections: null, postsPerDay: null, fees: false },
};

/** Number of days that a successful send keeps a connection active. */
export const ACTIVE_DAYS = 30;

const DAY_MS = 86_400_000;

/** The start of the UTC day of `now`. */
export function dayStart(now: Date): Date {
  return new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
}

/** Number of the UTC day of an instant, counted from 1970-01-01. */
export function utcDayNumber(instant: Date): number {
  return Math.floor(instant.getTime() / DAY_MS);
}

/** The start of the next UTC day. */
export function nextDayStart(now: Date): Date {
  return new Date(dayStart(now).getTime() + DAY_MS);
}

/** The start of the UTC month of `now`. */
export function monthStart(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
}

/** A connection with a send after this instant is active at `now`. */
export function activeSince(now: Date): Date {
  return new Date(now.getTime() - ACTIVE_DAYS * DAY_MS);
}
