/** A row of the table: what was measured on both sides, and whether the target is met. */

/** One line of the report, worded for people. */
export interface Finding {
  readonly row: string;
  readonly ours: string;
  /** The comparison: bare code for the same work, or a peer. Empty when there is none. */
  readonly baseline: string;
  readonly ratio: string;
  /** Empty when the line only informs. */
  readonly target: string;
  /** Null when the line has no target. */
  readonly met: boolean | null;
  /** What the two sides spent on one unit of work, in words; undefined where it is not measured. */
  readonly spent?: string | undefined;
}

/** One measurement with the name for `npm run bench <name>`. Each creates and removes its own databases. */
export interface Row {
  readonly name: string;
  /** @throws Error when something failed to run, which is different from being slow */
  run(): Promise<Finding[]>;
}

/** A finding about one side alone, without a target. */
export function note(row: string, ours: string): Finding {
  return { row, ours, baseline: '', ratio: '', target: '', met: null };
}

/** The middle value; the mean of the two middle ones of an even number. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (low === undefined || high === undefined) throw new Error('nothing was measured');
  return (low + high) / 2;
}

/** The value that the given share of all values does not exceed (nearest rank). `share` is 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)];
  if (value === undefined) throw new Error('nothing was measured');
  return value;
}

/** Lateness, against a bound on its 99th percentile in milliseconds. The line also shows `besides`. */
export function latenessFinding(row: string, lateMs: readonly number[], targetMs: number, besides = ''): Finding {
  const [p50 = 0, p99 = Infinity, max = 0] = [0.5, 0.99, 1].map((share) => Math.round(percentile(lateMs, share)));
  const ours = `p50 ${p50} / p99 ${p99} / max ${max} ms${besides}`;
  const target = `p99 < ${targetMs.toLocaleString('en')} ms`;
  return { row, ours, baseline: '', ratio: '', target, met: p99 < targetMs };
}
