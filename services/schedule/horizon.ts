/** How far ahead a post may be scheduled (docs/contract/scheduling.md#scheduled-posts). */
export const HORIZON_DAYS = 30;

/** The horizon as a length of time: days of 24 hours, whatever clocks do meanwhile. */
export const HORIZON_MS = HORIZON_DAYS * 86_400_000;
