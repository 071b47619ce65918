/** How long an audit entry is kept: a year, and a month to review it. */
export const AUDIT_KEPT_DAYS = 400;
