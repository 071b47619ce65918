/** Measures two sides alternately, so that other load on the machine affects both. */
import type { Client } from 'pg';
import { cpuBetween, databaseCpuMs, processCpuMs } from './cpu-times.ts';
import type { BenchProcess } from './processes.ts';
import { type Finding, median } from './row.ts';

/** The work of one round. */
export interface Measured {
  /** Work per second. */
  readonly rate: number;
  /** Units of work that were done. */
  readonly count: number;
}

/** Measures once; gives work per second, or with `count` so that its cost can be told. */
export type Measure = () => Promise<number | Measured>;

/** Whose processor time a side uses. */
export interface Costs {
  readonly process: Pick<BenchProcess, 'cpuMs'>;
  /** A connection to the side's database; null for an embedded one, which runs in the process. */
  readonly client: Client | null;
}

export function costsOf(one: Pick<BenchProcess, 'cpuMs'>, client: Client | null): Costs {
  return { process: one, client };
}

/** The bench itself, for work that it does as the bare side. */
export const BENCH: Pick<BenchProcess, 'cpuMs'> = { cpuMs: () => processCpuMs(process.pid) };

export interface Sides {
  readonly row: string;
  readonly ours: Measure;
  readonly baseline: Measure;
  /** The unit per second: `req/s`, `posts/s`. */
  readonly unit: string;
  /** Least ratio of ours to bare; undefined when the row only informs. */
  readonly target?: number;
  readonly rounds: number;
  /** Shows what one unit of work costs each side. */
  readonly costs?: { readonly ours: Costs; readonly baseline: Costs };
}

/** One side over all rounds. */
interface Side {
  readonly rates: number[];
  /** Milliseconds of processor time for one unit, in each round. */
  readonly serviceMs: number[];
  readonly databaseMs: number[];
}

/** Alternates the sides. The ratio is the median of the ratios of the rounds, not the ratio of the medians. */
export async function alternate({ row, unit, target, rounds, costs, ...sides }: Sides): Promise<Finding> {
  const [ours, baseline] = [newSide(), newSide()];
  for (let round = 0; round < rounds; round += 1) {
    await measure(baseline, sides.baseline, costs?.baseline);
    await measure(ours, sides.ours, costs?.ours);
  }
  const ratio = median(ours.rates.map((rate, round) => rate / (baseline.rates[round] ?? rate)));
  const rate = ({ rates }: Side) => `${Math.round(median(rates)).toLocaleString('en')} ${unit}`;
  return {
    row,
    ours: rate(ours),
    baseline: rate(baseline),
    ratio: ratio.toFixed(2),
    target: target === undefined ? '' : `>= ${target.toFixed(2)}`,
    met: target === undefined ? null : ratio >= target,
    spent: costs === undefined ? undefined : `ours ${describeCosts(ours)}; bare ${describeCosts(baseline)}`,
  };
}

function newSide(): Side {
  return { rates: [], serviceMs: [], databaseMs: [] };
}

async function measure(side: Side, run: Measure, costs: Costs | undefined): Promise<void> {
  const before = await readCosts(costs);
  const measured = await run();
  const after = await readCosts(costs);
  side.rates.push(typeof measured === 'number' ? measured : measured.rate);
  if (typeof measured === 'number' || costs === undefined) return;
  side.serviceMs.push((after.service - before.service) / measured.count);
  if (costs.client !== null) side.databaseMs.push(cpuBetween(before.database, after.database) / measured.count);
}

async function readCosts(costs: Costs | undefined) {
  const client = costs?.client ?? null;
  return {
    service: (await costs?.process.cpuMs()) ?? 0,
    database: client === null ? new Map<number, number>() : await databaseCpuMs(client),
  };
}

/** Such as `0.34 ms in the service, 0.20 ms in the database`. */
function describeCosts({ serviceMs, databaseMs }: Side): string {
  const parts = [`${median(serviceMs).toFixed(3)} ms in the service`];
  if (databaseMs.length > 0) parts.push(`${median(databaseMs).toFixed(3)} ms in the database`);
  return parts.join(', ');
}
