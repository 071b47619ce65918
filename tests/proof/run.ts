/**
 * `npm run proof`: kills, simulated months and a soak, unattended, with a report. Prints its seed first, and exits 1 when a
 * guarantee was broken. A signal ends it early, with a report of what was run. `--replay 7:pglite:sends:3` repeats one case
 * of the kills.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { type KillsOptions, replayKills, runKills } from './kills/kills.ts';
import { runMonths } from './months.ts';
import { describeRun, insertReport, killsSection, monthsSection, type Section, soakSection } from './report.ts';
import { runSoak } from './soak.ts';

const PARTS = ['kills', 'months', 'soak'] as const;
const DATABASES = ['pglite', 'postgres'] as const;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    kills: { type: 'string', default: '1000' },
    months: { type: 'string', default: '200' },
    'soak-minutes': { type: 'string', default: '60' },
    only: { type: 'string', default: PARTS.join(',') },
    databases: { type: 'string', default: DATABASES.join(',') },
    /** Processes that run cases of the kills side by side, for each database, and that simulate months. */
    processes: { type: 'string', default: '1' },
    /** Runs the parts at the same time; the soak, which measures time, has priority. */
    together: { type: 'boolean', default: false },
    replay: { type: 'string' },
    /** The page whose report is replaced. */
    report: { type: 'string', default: 'docs/reliability.md' },
  },
});

const postgresUrl = process.env['TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/test';
const [replayed, ...caseName] = values.replay?.split(':') ?? [];
const seed = replayed ?? values.seed ?? String(Math.floor(Date.now() / 1000) % 1_000_000);
const databases = listOf('databases', values.databases, DATABASES);
const parts = listOf('only', values.only, PARTS);

console.log(`seed ${seed}`);
const interruption = new AbortController();
const { signal } = interruption;
const killsOptions: KillsOptions = {
  seed,
  kills: numberOf('kills'),
  processes: numberOf('processes'),
  databases,
  postgresUrl,
  isBehind: values.together,
  signal,
  onResult: ({ database, name, steps, violations, tookMs }) => {
    const verdict = violations.length === 0 ? 'held' : `BROKE\n  ${violations.join('\n  ')}`;
    console.log(`${database}:${name}, ${steps.length} kills, ${Math.round(tookMs / 1000)} s: ${verdict}`);
  },
};

if (values.replay !== undefined) {
  for (const result of await replayKills(killsOptions, caseName.join(':'))) {
    killsOptions.onResult(result);
    if (result.violations.length > 0) process.exitCode = 1;
  }
} else {
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interruption.abort());
  const began = new Date();
  const sections = await runParts();
  const run = await describeRun({ seed, began, isTogether: values.together, isInterrupted: signal.aborted });
  await writeReport([run, ...sections.map(({ text }) => text)].join('\n'));
  for (const { name, violations } of sections) {
    console.log(violations.length === 0 ? `${name}: held` : `${name}: BROKE\n${violations.join('\n')}`);
    if (violations.length > 0) process.exitCode = 1;
  }
}

/** @returns the sections of the report in the order of the parts */
async function runParts(): Promise<Section[]> {
  const { processes, isBehind } = killsOptions;
  const months = {
    firstSeed: Number(seed),
    months: numberOf('months'),
    processes,
    databases,
    postgresUrl,
    isBehind,
    signal,
  };
  const run = {
    kills: async () => killsSection(seed, killsOptions.kills, await runKills(killsOptions)),
    months: async () => monthsSection(await runMonths(months)),
    soak: async () => soakSection(await runSoak({ minutes: numberOf('soak-minutes'), signal })),
  };
  if (values.together) return Promise.all(parts.map((part) => run[part]()));
  const sections: Section[] = [];
  for (const part of parts) if (!signal.aborted) sections.push(await run[part]());
  return sections;
}

async function writeReport(text: string): Promise<void> {
  await mkdir(dirname(values.report), { recursive: true });
  const page = await readFile(values.report, 'utf8').catch(() => '');
  await writeFile(values.report, insertReport(page, text));
  console.log(`the report is in ${values.report}`);
}

function numberOf(option: 'kills' | 'months' | 'soak-minutes' | 'processes'): number {
  const value = values[option];
  if (!/^[1-9]\d{0,5}$/.test(value)) throw new Error(`--${option}: expected a whole number from 1, not "${value}"`);
  return Number(value);
}

function listOf<Name extends string>(option: string, given: string, known: readonly Name[]): readonly Name[] {
  const names = given.split(',');
  const unknown = names.find((name) => !known.some((one) => one === name));
  if (unknown !== undefined) throw new Error(`--${option}: expected ${known.join(', ')}, not "${unknown}"`);
  return known.filter((name) => names.includes(name));
}
