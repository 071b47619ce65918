/** Writes what a run of the proof did and found, as a part of docs/reliability.md. */
import { execFile } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { promisify } from 'node:util';
import type { DatabaseName } from './kills/kills.ts';
import type { CaseResult } from './kills/run-cases.ts';
import type { MonthsResult } from './months.ts';
import { MEMORY, type SoakResult, soakViolations, trendOf } from './soak.ts';

/** One part of the report. */
export interface Section {
  readonly name: string;
  readonly text: string;
  /** With the command that repeats each. */
  readonly violations: readonly string[];
}

const BEGIN = '<!-- The report begins; npm run proof writes it. -->';
const END = '<!-- The report ends. -->';

const NAMES: Readonly<Record<DatabaseName, string>> = { pglite: 'embedded', postgres: 'PostgreSQL' };

/** @returns the page with this report in the place of its last one; at its end when it has none */
export function insertReport(page: string, report: string): string {
  const placed = `${BEGIN}\n\n${report.trim()}\n\n${END}`;
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from === -1 || to === -1) return `${page.trimEnd()}\n\n${placed}\n`.trimStart();
  return `${page.slice(0, from)}${placed}${page.slice(to + END.length)}`;
}

interface Run {
  readonly seed: string;
  readonly began: Date;
  /** Whether the parts ran at the same time. */
  readonly isTogether: boolean;
  readonly isInterrupted: boolean;
}

export async function describeRun({ seed, began, isTogether, isInterrupted }: Run): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['rev-parse', '--short', 'HEAD']);
  const hours = ((Date.now() - began.getTime()) / 3_600_000).toFixed(1);
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Node.js ${process.versions.node}`;
  const notes = [
    `Run of ${began.toISOString().slice(0, 10)}, commit ${stdout.trim()}, seed ${seed}, ${hours} hours, on ${machine}.`,
    ...(isTogether ? ['The parts ran at the same time, the soak with priority.'] : []),
    ...(isInterrupted ? ['**It was interrupted**, so a part of it is missing.'] : []),
  ];
  return `${notes.join('\n')}\n`;
}

/** @param asked kills that the run should have had */
export function killsSection(
  seed: string,
  asked: number,
  { results, failures }: { readonly results: readonly CaseResult[]; readonly failures: readonly string[] },
): Section {
  const violations = results.flatMap(({ database, name, violations: broken }) =>
    broken.map((violation) => `${violation} (replay: npm run proof -- --replay "${seed}:${database}:${name}")`),
  );
  const kills = results.reduce((sum, { steps }) => sum + steps.length, 0);
  const text = [
    `### Kills`,
    ``,
    `${kills} of ${asked} kills in ${results.length} installs; ${broken(violations.length + failures.length)}`,
    ``,
    table(['Interrupted', 'Killed at', 'Embedded', 'PostgreSQL'], stepRows(results)),
    `Outcomes and events that are not broken guarantees:`,
    ``,
    table(['Interrupted', 'What', 'Embedded', 'PostgreSQL'], countRows(results)),
    ...listOf([...violations, ...failures]),
  ].join('\n');
  return { name: 'kills', text, violations: [...violations, ...failures] };
}

function stepRows(results: readonly CaseResult[]): string[][] {
  const counted = results.map(({ kind, database, steps }) => ({ kind, database, names: steps }));
  return rowsBy(counted);
}

function countRows(results: readonly CaseResult[]): string[][] {
  const counted = results.map(({ kind, database, counts }) => ({
    kind,
    database,
    names: Object.entries(counts).flatMap(([what, count]) => Array.from({ length: count }, () => what)),
  }));
  return rowsBy(counted);
}

function rowsBy(counted: readonly { kind: string; database: string; names: readonly string[] }[]): string[][] {
  const totals = new Map<string, { pglite: number; postgres: number }>();
  for (const { kind, database, names } of counted) {
    for (const name of names) {
      const key = `${kind}\n${name}`;
      const total = totals.get(key) ?? { pglite: 0, postgres: 0 };
      total[database as DatabaseName] += 1;
      totals.set(key, total);
    }
  }
  return [...totals]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([key, { pglite, postgres }]) => [...key.split('\n'), String(pglite), String(postgres)]);
}

export function monthsSection({ asked, held, failures }: MonthsResult): Section {
  const rows = Object.entries(held).map(([database, months]) => {
    const sum = (name: 'acts' | 'moves' | 'elsewhere' | 'faults' | 'lost') =>
      months.reduce((total, month) => total + month[name], 0).toLocaleString('en');
    const seeds = months.length === 0 ? '' : `${months[0]?.seed} to ${months.at(-1)?.seed}`;
    const counts = (['acts', 'moves', 'elsewhere', 'faults', 'lost'] as const).map(sum);
    return [NAMES[database as DatabaseName], String(months.length), seeds, ...counts];
  });
  const count = held.pglite.length + held.postgres.length;
  const text = [
    `### Months`,
    ``,
    `${count} of ${asked} months of 31 days held every invariant; ${broken(failures.length)}`,
    ``,
    table(
      [
        'Database',
        'Months',
        'Seeds',
        'Actions',
        'Changes of posts',
        'Sent to imitated platforms',
        'Killed or hanging sends',
        'Lost calls',
      ],
      rows,
    ),
    ...listOf(failures),
  ].join('\n');
  return { name: 'months', text, violations: failures };
}

export function soakSection(result: SoakResult): Section {
  const { minutes, requests, latencyMs, samples, latenessP99Ms, delivered } = result;
  const violations = soakViolations(result);
  const second = <Item>(all: readonly Item[]): readonly Item[] => all.slice(Math.floor(all.length / 2));
  const most = (values: readonly number[]) => Math.round(Math.max(...values));
  const trends = Object.entries(MEMORY).map(([name, key]) => {
    const { mean, growth, isFlat } = trendOf(samples.map((sample) => sample[key]));
    const word = isFlat ? 'flat' : 'NOT FLAT';
    return [`memory of the ${name} process`, `${mean.toFixed(0)} MB, ${growth.toFixed(0)} MB of growth: ${word}`];
  });
  const lags = second(samples);
  const text = [
    `### Soak`,
    ``,
    `${requests.toLocaleString('en')} posts in ${minutes} minutes; ${broken(violations.length)} Values of the second half:`,
    ``,
    table(
      ['What', 'Measured'],
      [
        [
          'answers, whole time',
          `p50 ${Math.round(latencyMs.p50)} / p99 ${Math.round(latencyMs.p99)} / max ${Math.round(latencyMs.max)} ms`,
        ],
        ...trends,
        ['heap of the web process', `${most(lags.map(({ webHeapMb }) => webHeapMb))} MB at most`],
        ['heap of the worker process', `${most(lags.map(({ workerHeapMb }) => workerHeapMb))} MB at most`],
        [
          'p99 of the event loop delay, web and worker',
          `${most(lags.map(({ webLagMs }) => webLagMs))} and ${most(lags.map(({ workerLagMs }) => workerLagMs))} ms at most`,
        ],
        ['p99 of lateness in a minute', `${most(second(latenessP99Ms))} ms at most`],
        ['sent and not yet delivered', `${most(lags.map(({ undelivered }) => undelivered))} at most`],
        ['deliveries, whole time', delivered.toLocaleString('en')],
      ],
    ),
    ...listOf(violations),
  ].join('\n');
  return { name: 'soak', text, violations };
}

function broken(count: number): string {
  if (count === 0) return 'no guarantee was broken.';
  return count === 1 ? '**one guarantee was broken.**' : `**${count} guarantees were broken.**`;
}

function listOf(violations: readonly string[]): string[] {
  return violations.length === 0 ? [] : [`Broken:`, ``, ...violations.map((violation) => `- ${violation}`), ``];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n');
}
