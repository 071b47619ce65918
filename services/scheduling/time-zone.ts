/** Validates names of time zones. */

/**
 * Whether Temporal knows the IANA zone, because it computes all wall times. Intl also knows old names such as PST. Plain
 * offsets are not zones.
 */
export function isTimeZone(timezone: string): boolean {
  if (!/^[A-Za-z]/.test(timezone)) return false;
  try {
    return Boolean(new Temporal.ZonedDateTime(0n, timezone));
  } catch {
    return false;
  }
}
