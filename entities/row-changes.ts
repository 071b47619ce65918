/**
 * Tells when statements may have changed rows that have due times. Loops wait for it instead of asking the database again
 * and again. To an embedded database only this process writes; shared-changes.ts tells what other processes do.
 */

/** The tables whose rows say when work is due. */
const WITH_DUE_TIMES = /\b(?:posts|connections|events|deliveries|webhooks|owner_notices|imports|feeds)\b/;

const WRITES = /\b(?:insert|update|delete)\b/i;

const COMMITS = /^\s*commit\b/i;

export interface RowChanges {
  /** Whether the changes of all processes are reported now. While it is false, the database must be asked. */
  readonly isComplete: boolean;
  /** Calls `listener` after each change until the returned function is called. A change may be reported that was none. */
  listen(listener: () => void): () => void;
}

export interface ReportedChanges extends RowChanges {
  /** Tells that work may be due sooner. */
  report(): void;
}

/** Whether a statement may change when work is due. */
export function mayChangeDueTimes(sql: string): boolean {
  return WRITES.test(sql) && WITH_DUE_TIMES.test(sql);
}

/** Whether a statement makes the changes of its transaction visible to others. */
export function commits(sql: string): boolean {
  return COMMITS.test(sql);
}

export function createRowChanges(): ReportedChanges {
  const listeners = new Set<() => void>();
  return {
    isComplete: true,
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    report: () => {
      for (const listener of listeners) listener();
    },
  };
}
