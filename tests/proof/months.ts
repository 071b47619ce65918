/** Simulated months, by the simulation's own runner, in processes side by side. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from '../crash/install.ts';
import type { DatabaseName } from './kills/kills.ts';
import { yieldTo } from './yield-to.ts';

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
  /** Posts that went out on imitated platforms. */
  readonly elsewhere: number;
  readonly faults: number;
  /** Lost calls to these platforms. */
  readonly lost: number;
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
  readonly processes: number;
  readonly databases: readonly DatabaseName[];
  readonly postgresUrl: string;
  /** Whether other work on the machine has priority. */
  readonly isBehind: boolean;
  /** Ends the months early: those in progress are not counted. */
  readonly signal: AbortSignal;
}

interface Run {
  readonly database: DatabaseName;
  readonly seed: number;
  readonly count: number;
}

export async function runMonths(options: MonthsOptions): Promise<MonthsResult> {
  const held: Record<DatabaseName, MonthResult[]> = { pglite: [], postgres: [] };
  const failures: string[] = [];
  const runs = plannedRuns(options);
  const work = async () => {
    for (let run = runs.shift(); run !== undefined && !options.signal.aborted; run = runs.shift()) {
      const { database, seed, count } = run;
      const { results, reasons } = await simulateMonths(options, run);
      held[database].push(...results);
      failures.push(...reasons.map((reason) => `on ${database}: ${reason}`));
      console.log(`months on ${database} from seed ${seed}: ${results.length} of ${count} held`);
    }
  };
  await Promise.all(Array.from({ length: options.processes }, work));
  for (const results of Object.values(held)) results.sort((one, other) => one.seed - other.seed);
  return { asked: options.months, held, failures };
}

/** Those on the embedded database first: they take longest. */
function plannedRuns({ firstSeed, months, databases }: MonthsOptions): Run[] {
  const embedded = databases.includes('postgres') ? Math.floor(months / EMBEDDED_EVERY) : months;
  const runs: Run[] = [];
  for (let done = 0; done < months;) {
    const database = databases.includes('pglite') && done < embedded ? 'pglite' : 'postgres';
    const left = database === 'pglite' ? embedded - done : months - done;
    const count = Math.min(MONTHS_PER_RUN, left);
    runs.push({ database, seed: firstSeed + done, count });
    done += count;
  }
  return runs;
}

async function simulateMonths(
  { postgresUrl, isBehind, signal }: MonthsOptions,
  { database, seed, count }: Run,
): Promise<{ results: MonthResult[]; reasons: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-proof-months-'));
  const file = join(folder, 'results.jsonl');
  const { TEST_DATABASE_URL: _, ...inherited } = process.env;
  try {
    const given = ['--seed', String(seed), '--days', String(DAYS), '--runs', String(count), '--results', file];
    const child = spawn(process.execPath, ['tests/simulation/run.ts', ...given], {
      cwd: REPOSITORY,
      env: { ...inherited, NO_COLOR: '1', ...(database === 'postgres' && { TEST_DATABASE_URL: postgresUrl }) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (isBehind) yieldTo(child);
    const stop = () => child.kill('SIGTERM');
    signal.addEventListener('abort', stop);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    signal.removeEventListener('abort', stop);
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
    const results = lines.map((line) => JSON.parse(line) as MonthResult);
    const isWhole = code === 0 && results.length === count;
    return { results, reasons: isWhole || signal.aborted ? [] : reasonsIn(output) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** For each month that failed: its seed, the invariant, and the command that repeats it. */
function reasonsIn(output: string): string[] {
  const named = [...output.matchAll(/seed \d+, day .*\nreplay: .*/g)].map(([reason]) => reason);
  return named.length === 0 ? [output.slice(-2_000)] : [...new Set(named)];
}
