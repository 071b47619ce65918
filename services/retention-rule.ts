/** One rule of the retention of a table (docs/decisions/0081-remove-expired-rows-in-small-steps.md). */
import type { Context } from './context.ts';

/** Most rows that one step removes. */
export const ROWS_AT_ONCE = 1_000;

export interface RetentionRule {
  /**
   * Removes at most {@link ROWS_AT_ONCE} expired rows in one transaction. Safe in parallel.
   *
   * @returns whether more rows may be left
   */
  step(context: Context): Promise<boolean>;
}
