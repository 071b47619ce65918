/** Simulated months, one seed after the other, by the simulation's own runner. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from '../crash/install.ts';
import type { DatabaseName } from './kills/kills.ts';

const DAYS = 31;

/** Months of one run, which takes seconds to begin. */
const MONTHS_PER_RUN = 10;

/** One month in this many is simulated on the embedded database, which takes three times as long. */
const EMBEDDED_EVERY = 10;

/** What the simulation writes for a month that held. */
export interface MonthResult {
  readonly seed: number;
  readonly days: number;
  readonly acts: number;
  readonly moves: number;
  readonly faults: number;
}

export interface MonthsResult {
  readonly asked: number;
  readonly held: Readonly<Record<DatabaseName, readonly MonthResult[]>>;
  /** The output of runs that failed. */
  readonly failures: readonly string[];
}

interface MonthsOptions {
  readonly firstSeed: number;
  readonly months: number;
  readonly databases: readonly DatabaseName[];
  readonly postgresUrl: string;
}

export async function runMonths({ firstSeed, months, databases, postgresUrl }: MonthsOptions): Promise<MonthsResult> {
  const held: Record<DatabaseName, MonthResult[]> = { pglite: [], postgres: [] };
  const failures: string[] = [];
  const embedded = databases.includes('postgres') ? Math.floor(months / EMBEDDED_EVERY) : months;
  const runs: { database: DatabaseName; seed: number; count: number }[] = [];
  for (let done = 0; done < months;) {
    const database = databases.includes('pglite') && done < embedded ? 'pglite' : 'postgres';
    const left = database === 'pglite' ? embedded - done : months - done;
    const count = Math.min(MONTHS_PER_RUN, left);
    runs.push({ database, seed: firstSeed + done, count });
    done += count;
  }
  for (const { database, seed, count } of runs) {
    const run = await simulateMonths(database === 'postgres' ? postgresUrl : undefined, seed, count);
    held[database].push(...run.results);
    if (run.failure !== null) failures.push(`on ${database}: ${run.failure}`);
    console.log(`months on ${database} from seed ${seed}: ${run.results.length} of ${count} held`);
  }
  return { asked: months, held, failures };
}

async function simulateMonths(
  postgresUrl: string | undefined,
  seed: number,
  count: number,
): Promise<{ results: MonthResult[]; failure: string | null }> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-proof-months-'));
  const file = join(folder, 'results.jsonl');
  const { TEST_DATABASE_URL: _, ...inherited } = process.env;
  try {
    const given = ['--seed', String(seed), '--days', String(DAYS), '--runs', String(count), '--results', file];
    const child = spawn(process.execPath, ['tests/simulation/run.ts', ...given], {
      cwd: REPOSITORY,
      env: { ...inherited, NO_COLOR: '1', ...(postgresUrl !== undefined && { TEST_DATABASE_URL: postgresUrl }) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
    const results = lines.map((line) => JSON.parse(line) as MonthResult);
    return { results, failure: code === 0 && results.length === count ? null : reasonIn(output) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The line that names the seed and the invariant, and the command that repeats it. */
function reasonIn(output: string): string {
  return /seed \d+, day [^]*?replay: .*/.exec(output)?.[0] ?? output.slice(-2_000);
}
