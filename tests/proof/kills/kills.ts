/** The kill matrix: cases on each database, in processes side by side. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { REPOSITORY } from '../../crash/install.ts';
import { yieldTo } from '../yield-to.ts';
import type { CaseResult } from './run-cases.ts';

export type DatabaseName = 'pglite' | 'postgres';

export interface KillsOptions {
  readonly seed: string;
  /** Over all databases. */
  readonly kills: number;
  readonly databases: readonly DatabaseName[];
  /** Processes for each database. */
  readonly processes: number;
  readonly postgresUrl: string;
  /** Whether other work on the machine has priority. */
  readonly isBehind: boolean;
  /** Ends the cases early: those in progress are not counted. */
  readonly signal: AbortSignal;
  /** Called with each result as it comes. */
  readonly onResult: (result: CaseResult) => void;
}

/** @returns every result, and why a process ended early */
export async function runKills(options: KillsOptions): Promise<{ results: CaseResult[]; failures: string[] }> {
  const { databases, kills, processes, seed } = options;
  const results: CaseResult[] = [];
  const failures: string[] = [];
  const each = Math.ceil(kills / databases.length);
  const shares = databases.flatMap((database) =>
    Array.from({ length: processes }, (_, index) => ({ database, share: `${index + 1}/${processes}` })),
  );
  await Promise.all(
    shares.map(async ({ database, share }) => {
      const failure = await runCases(
        options,
        database,
        ['--seed', seed, '--kills', String(each), '--share', share],
        (result) => {
          results.push(result);
          options.onResult(result);
        },
      );
      if (failure !== null) failures.push(`the process ${share} on ${database} ${failure}`);
    }),
  );
  return { results, failures };
}

/** Repeats one case. @param name `pglite:sends:3` */
export async function replayKills(options: KillsOptions, name: string): Promise<CaseResult[]> {
  const [database = '', kind = '', index = ''] = name.split(':');
  const results: CaseResult[] = [];
  const given = ['--seed', options.seed, '--case', `${kind}:${index}`];
  const failure = await runCases(options, database as DatabaseName, given, (result) => results.push(result));
  if (failure !== null) throw new Error(`the replay ${failure}`);
  return results;
}

/** @returns why the process failed; null when it did not */
async function runCases(
  { postgresUrl, isBehind, signal }: KillsOptions,
  database: DatabaseName,
  given: readonly string[],
  onResult: (result: CaseResult) => void,
): Promise<string | null> {
  const { TEST_DATABASE_URL: _, ...inherited } = process.env;
  const child = spawn(process.execPath, ['tests/proof/kills/run-cases.ts', ...given], {
    cwd: REPOSITORY,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: database === 'postgres' ? { ...inherited, TEST_DATABASE_URL: postgresUrl } : inherited,
  });
  if (isBehind) yieldTo(child);
  const stop = () => child.kill('SIGTERM');
  process.on('exit', stop);
  signal.addEventListener('abort', stop);
  const closed = new Promise<string | null>((resolve) =>
    child.on('close', (code, by) => resolve(code === 0 || signal.aborted ? null : `ended with ${by ?? code}`)),
  );
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) onResult(JSON.parse(line) as CaseResult);
  }
  process.off('exit', stop);
  signal.removeEventListener('abort', stop);
  return closed;
}
