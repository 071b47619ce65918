/**
 * `npm run proof`: kills, simulated months and a soak, unattended, with a report. Prints its seed first, and exits 1 when a
 * guarantee was broken. `--replay 7:pglite:sends:3` repeats one case of the kills.
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
    /** Processes for each database that run cases of the kills side by side. */
    processes: { type: 'string', default: '1' },
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
const killsOptions: KillsOptions = {
  seed,
  kills: numberOf('kills'),
  processes: numberOf('processes'),
  databases,
  postgresUrl,
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
  const began = new Date();
  const sections: Section[] = [];
  if (parts.includes('kills')) sections.push(killsSection(seed, await runKills(killsOptions)));
  if (parts.includes('months'))
    sections.push(
      monthsSection(await runMonths({ firstSeed: Number(seed), months: numberOf('months'), databases, postgresUrl })),
    );
  if (parts.includes('soak')) sections.push(soakSection(await runSoak({ minutes: numberOf('soak-minutes') })));
  await writeReport([await describeRun(seed, began), ...sections.map(({ text }) => text)].join('\n'));
  for (const { name, violations } of sections) {
    console.log(violations.length === 0 ? `${name}: held` : `${name}: BROKE\n${violations.join('\n')}`);
    if (violations.length > 0) process.exitCode = 1;
  }
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
