/** Measures two sides alternately, so that other load on the machine affects both. */
import { type Finding, median } from './row.ts';

/** Measures once; gives work per second. */
export type Measure = () => Promise<number>;

export interface Sides {
  readonly row: string;
  readonly ours: Measure;
  readonly baseline: Measure;
  /** The unit per second: `req/s`, `posts/s`. */
  readonly unit: string;
  /** Least ratio of ours to bare; undefined when the row only informs. */
  readonly target?: number;
  readonly rounds: number;
}

/** Alternates the sides. The ratio is the median of the ratios of the rounds, not the ratio of the medians. */
export async function alternate({ row, ours, baseline, unit, target, rounds }: Sides): Promise<Finding> {
  const seen: { ours: number; baseline: number }[] = [];
  for (let round = 0; round < rounds; round += 1) seen.push({ baseline: await baseline(), ours: await ours() });
  const ratio = median(seen.map((round) => round.ours / round.baseline));
  const rate = (values: readonly number[]) => `${Math.round(median(values)).toLocaleString('en')} ${unit}`;
  return {
    row,
    ours: rate(seen.map((round) => round.ours)),
    baseline: rate(seen.map((round) => round.baseline)),
    ratio: ratio.toFixed(2),
    target: target === undefined ? '' : `>= ${target.toFixed(2)}`,
    met: target === undefined ? null : ratio >= target,
  };
}
