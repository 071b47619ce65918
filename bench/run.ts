/**
 * Measures the service against bare code for the same work: `npm run bench -- [--check] [--profile folder] [row …]`. Prints
 * one table. Exits 1 when something failed to run, or when a target is missed with --check. With --profile, each measured
 * process leaves a CPU profile in the folder, which makes it slower.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/ensure-built.js';
import type { Finding, Row } from './row.ts';
import { analytics } from './rows/analytics.ts';
import { consoleApp } from './rows/console.ts';
import { drain } from './rows/drain.ts';
import { embedded } from './rows/embedded.ts';
import { fairness } from './rows/fairness.ts';
import { hang } from './rows/hang.ts';
import { lateness } from './rows/lateness.ts';
import { list } from './rows/list.ts';
import { mcp } from './rows/mcp.ts';
import { reads } from './rows/reads.ts';
import { scale } from './rows/scale.ts';
import { scaling } from './rows/scaling.ts';
import { start } from './rows/start.ts';
import { sustained } from './rows/sustained.ts';
import { telemetry } from './rows/telemetry.ts';
import { webhooks } from './rows/webhooks.ts';
import { writes } from './rows/writes.ts';
import { year } from './rows/year.ts';

const ROWS: readonly Row[] = [
  reads,
  mcp,
  list,
  analytics,
  writes,
  sustained,
  drain,
  lateness,
  scale,
  fairness,
  hang,
  scaling,
  webhooks,
  telemetry,
  embedded,
  start,
  consoleApp,
];

/** Rows that run only when they are named: they take half an hour and more. */
const LONG_ROWS: readonly Row[] = [year];

const COLUMNS = ['row', 'ours', 'baseline', 'ratio', 'target', 'verdict'] as const;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { check: { type: 'boolean' }, profile: { type: 'string' } },
  });
  if (values.profile !== undefined) process.env['BENCH_PROFILES'] = resolve(values.profile);
  await ensureBuilt(resolve(import.meta.dirname, '..'), 'server');
  const findings: Finding[] = [];
  for (const row of chosen(positionals)) {
    process.stderr.write(`measuring ${row.name} …\n`);
    findings.push(...(await row.run()));
  }
  process.stdout.write(table(findings));
  for (const { row, spent } of findings)
    if (spent !== undefined) process.stdout.write(`${row}, processor time: ${spent}\n`);
  const missed = findings.some((finding) => finding.met === false);
  process.exitCode = values.check && missed ? 1 : 0;
} catch (error) {
  console.error('the bench failed to run:', error);
  process.exitCode = 1;
}

function chosen(names: readonly string[]): readonly Row[] {
  const all = [...ROWS, ...LONG_ROWS];
  const unknown = names.find((name) => !all.some((row) => row.name === name));
  if (unknown !== undefined)
    throw new Error(`there is no row ${unknown}; there are ${all.map((row) => row.name).join(', ')}`);
  return names.length === 0 ? ROWS : all.filter((row) => names.includes(row.name));
}

function table(findings: readonly Finding[]): string {
  const rows = findings.map((finding) => ({ ...finding, verdict: verdict(finding.met) }));
  const widths = COLUMNS.map((column) => Math.max(column.length, ...rows.map((row) => row[column].length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |\n`;
  const body = rows.map((row) => line(COLUMNS.map((column) => row[column])));
  return [line(COLUMNS), line(widths.map((width) => '-'.repeat(width))), ...body].join('');
}

function verdict(met: boolean | null): string {
  if (met === null) return 'for information';
  return met ? 'met' : 'MISSED';
}
