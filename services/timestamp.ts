/**
 * Instants in their three forms: as the database returns them, as Date, and on the wire, where they are ISO 8601 in UTC
 * with milliseconds (docs/contract/README.md).
 */

/** How the database returns an instant with milliseconds, in UTC: `2026-11-21 09:00:00.123+00`. */
const STORED_LENGTH = 26;

/** @param instant a Date, or an instant as the database returns it */
export function timestamp(instant: Date | string): string {
  // Lists format hundreds of instants, and the common form needs no date parsing. `join` copies the characters; a
  // template would keep references to its parts, which makes JSON.stringify twice as slow for the whole list.
  if (typeof instant === 'string' && instant.length === STORED_LENGTH && instant.endsWith('+00')) {
    return [instant.slice(0, 10), 'T', instant.slice(11, 23), 'Z'].join('');
  }
  return (typeof instant === 'string' ? new Date(instant) : instant).toISOString();
}

/** Like {@link timestamp}, but keeps null. */
export function timestampOrNull(instant: Date | string | null): string | null {
  return instant === null ? null : timestamp(instant);
}

/** Parses an instant that the database returned. */
export function dateOf(instant: string): Date {
  return new Date(instant);
}

/** Like {@link dateOf}, but keeps null. */
export function dateOrNull(instant: string | null): Date | null {
  return instant === null ? null : new Date(instant);
}
