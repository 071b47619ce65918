/** The window of UTC days that analytics cover (docs/contract/metrics.md#analytics). */
import { ServiceError } from '../../errors/service-error.ts';

/** First and last day, both included, as YYYY-MM-DD. */
export interface Window {
  readonly from: string;
  readonly to: string;
}

/** Length of the window in days when no bound, or only its end, is given. */
const DEFAULT_DAYS = 30;

const MAX_DAYS = 365;

/** No post is older, and PostgreSQL has no year 0. */
const FIRST_DAY = '1970-01-01';

const DAY_MS = 86_400_000;

/** @throws ServiceError invalid_request when it ends before it begins, begins before 1970, or has more than 365 days */
export function windowOf(
  asked: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: Date,
): Window {
  const to = asked.to ?? now.toISOString().slice(0, 10);
  refuseBefore1970('to', to);
  const from = asked.from ?? laterOf(FIRST_DAY, addDays(to, 1 - DEFAULT_DAYS));
  refuseBefore1970('from', from);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) throw new ServiceError('invalid_request', `from: ${from} is after ${to}, the last day of the window.`);
  if (days > MAX_DAYS) {
    const message = `from: the window from ${from} to ${to} has ${days} days; the limit is ${MAX_DAYS}.`;
    throw new ServiceError('invalid_request', message);
  }
  return { from, to };
}

function refuseBefore1970(name: 'from' | 'to', day: string): void {
  if (day >= FIRST_DAY) return;
  throw new ServiceError('invalid_request', `${name}: ${day} is before ${FIRST_DAY}, the earliest day of a window.`);
}

function laterOf(one: string, other: string): string {
  return one > other ? one : other;
}

/** Every day of the window, in order. */
export function daysOf({ from, to }: Window): string[] {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return Array.from({ length: days }, (_, index) => addDays(from, index));
}

function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}
