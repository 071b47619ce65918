/**
 * Parses a scheduledFor: an instant with an offset, or a wall time in a time zone
 * (docs/contract/scheduling.md#wall-times). Pure.
 */
import { ServiceError } from '../../errors/service-error.ts';
import { HORIZON_DAYS, HORIZON_MS } from './horizon.ts';
import { isTimeZone } from './time-zone.ts';

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/i;

export interface ScheduleInput {
  readonly scheduledFor?: string | undefined;
  readonly timezone?: string | undefined;
}

/** The caller's name of the field, for messages. A timezone can be given beside scheduledFor only. */
type TimeField = 'scheduledFor' | 'scheduled_for';

/**
 * @returns the instant in whole milliseconds; null when no time was given
 * @throws ServiceError invalid_request naming the field, the value and the limit
 */
export function readScheduledFor(input: ScheduleInput, now: Date, field: TimeField = 'scheduledFor'): Date | null {
  const { scheduledFor, timezone } = input;
  if (scheduledFor === undefined) {
    if (timezone === undefined) return null;
    throw invalid(
      `timezone: is read only together with a ${field} that has no UTC offset; leave it out or add ${field}.`,
    );
  }
  const match = DATE_TIME.exec(scheduledFor);
  if (match === null) {
    throw invalid(`${field}: "${scheduledFor.slice(0, 60)}" is not a date-time such as 2027-01-31T09:00:00.000Z.`);
  }
  const hasOffset = match[1] !== undefined;
  if (hasOffset && timezone !== undefined) {
    throw invalid(`timezone: ${field} already has a UTC offset; leave one of the two out.`);
  }
  if (!hasOffset && timezone === undefined) {
    const cure = field === 'scheduledFor' ? 'add one (Z for UTC) or name a timezone' : 'add one, such as Z for UTC';
    throw invalid(`${field}: "${scheduledFor}" has no UTC offset; ${cure}.`);
  }
  const instant = hasOffset ? readInstant(scheduledFor, field) : readWallTime(scheduledFor, timezone as string, field);
  return withinHorizon(instant, now, field);
}

function readInstant(value: string, field: TimeField): Date {
  try {
    return new Date(Temporal.Instant.from(value.toUpperCase()).epochMilliseconds);
  } catch {
    throw invalid(`${field}: "${value}" names a day or a time that does not exist.`);
  }
}

// "compatible" shifts a time in a spring gap forward by the gap's length and takes the first of two in autumn.
function readWallTime(value: string, timezone: string, field: TimeField): Date {
  let wallTime: Temporal.PlainDateTime;
  try {
    wallTime = Temporal.PlainDateTime.from(value, { overflow: 'reject' });
  } catch {
    throw invalid(`${field}: "${value}" names a day or a time that does not exist.`);
  }
  if (!isTimeZone(timezone)) {
    throw invalid(`timezone: "${timezone.slice(0, 60)}" is not an IANA time zone such as Europe/Paris.`);
  }
  return new Date(wallTime.toZonedDateTime(timezone, { disambiguation: 'compatible' }).epochMilliseconds);
}

function withinHorizon(instant: Date, now: Date, field: TimeField): Date {
  const present = `It is ${now.toISOString()} now.`;
  if (instant.getTime() <= now.getTime()) {
    throw invalid(`${field}: ${instant.toISOString()} is not in the future. ${present}`);
  }
  if (instant.getTime() > now.getTime() + HORIZON_MS) {
    throw invalid(`${field}: ${instant.toISOString()} is more than ${HORIZON_DAYS} days ahead. ${present}`);
  }
  return instant;
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
