/** Maximum time ahead that a post can be scheduled (docs/contract/scheduling.md#scheduled-posts). */
export const HORIZON_DAYS = 30;

/** The horizon as a duration: days of 24 hours, independent of clock changes. */
export const HORIZON_MS = HORIZON_DAYS * 86_400_000;
