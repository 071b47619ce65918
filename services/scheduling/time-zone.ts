/** Validates names of time zones. */

/** Whether the runtime knows the IANA zone; plain offsets are not zones. */
export function isTimeZone(timezone: string): boolean {
  if (!/^[A-Za-z]/.test(timezone)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: timezone }));
  } catch {
    return false;
  }
}
