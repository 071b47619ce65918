/**
 * Runs cases of the kill matrix on one database, one after the other, and prints one line of JSON for each:
 * `TEST_DATABASE_URL=… node tests/proof/kills/run-cases.ts --seed 7 --kills 60`, or `--case sends:3` for one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ENGINE } from '../../crash/install.ts';
import buildServer from '../../crash/built-server.ts';
import { databaseUrl, onServer } from '../../harness/database.ts';
import { openPglite, openPostgres } from '../../../entities/orm.ts';
import { createSampler } from '../../simulation/sampler.ts';
import { type CaseTools, createCaseInstall, type Kind } from './kill-case.ts';
import { deliveries } from './kinds/deliveries.ts';
import { metricsReads } from './kinds/metrics-reads.ts';
import { migrations } from './kinds/migrations.ts';
import { retention } from './kinds/retention.ts';
import { sends } from './kinds/sends.ts';
import { tokenRefreshes } from './kinds/token-refreshes.ts';

const KINDS: readonly Kind[] = [sends, deliveries, tokenRefreshes, metricsReads, migrations, retention];

/** Kills of a whole case; each further one needs one more start only. */
const KILLS_PER_CASE = 5;

export interface CaseResult {
  readonly kind: string;
  readonly database: string;
  /** `kind:index`, for the replay. */
  readonly name: string;
  /** The step of each kill. */
  readonly steps: readonly string[];
  readonly violations: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly tookMs: number;
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    kills: { type: 'string' },
    case: { type: 'string' },
    /** `1/2` for the first of two processes that share the cases. */
    share: { type: 'string', default: '1/1' },
  },
});
const { seed = '1' } = values;

/** What ends with the case in progress, and with the process. */
const ends: (() => PromiseLike<unknown>)[] = [];
const atEnd: (() => PromiseLike<unknown>)[] = [];

// A run that is interrupted leaves no server, folder or database behind.
let isInterrupted = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    isInterrupted = true;
    void endAll(ends)
      .then(() => endAll(atEnd))
      .finally(() => process.exit(1));
  });
}

const migrated = await createMigrated();
atEnd.push(migrated.end);
try {
  for (const { kind, index, kills } of plannedCases()) {
    const result = await runCase(kind, index, kills);
    // What ended under a case is no broken guarantee.
    if (isInterrupted) break;
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
} finally {
  await endAll(atEnd);
}

/** The last first: what uses something ends before it. Each end can be repeated, so an interrupted one is not lost. */
async function endAll(open: (() => PromiseLike<unknown>)[]): Promise<void> {
  for (let end = open.at(-1); end !== undefined; end = open.at(-1)) {
    await end();
    const place = open.indexOf(end);
    if (place !== -1) open.splice(place, 1);
  }
}

interface PlannedCase {
  readonly kind: Kind;
  readonly index: number;
  readonly kills: number;
}

/** Kinds take turns, so that a run that is cut short has some of each. */
function plannedCases(): PlannedCase[] {
  if (values.case !== undefined) {
    const [name, index] = values.case.split(':');
    const kind = KINDS.find((one) => one.name === name);
    if (kind === undefined)
      throw new Error(`there is no kind ${name}; there are ${KINDS.map((one) => one.name).join(', ')}`);
    return [{ kind, index: Number(index), kills: Number(values.kills ?? KILLS_PER_CASE) }];
  }
  const cases: PlannedCase[] = [];
  let left = Number(values.kills);
  for (let index = 0; left > 0; index += 1) {
    const each = Math.min(KILLS_PER_CASE, Math.ceil(left / KINDS.length));
    for (const kind of KINDS) {
      if (left > 0) cases.push({ kind, index, kills: Math.min(each, left) });
      left -= each;
    }
  }
  const [place, places] = values.share.split('/').map(Number) as [number, number];
  return cases.filter((_, number) => number % places === place - 1);
}

async function runCase(kind: Kind, index: number, kills: number): Promise<CaseResult> {
  const steps: string[] = [];
  const violations: string[] = [];
  const counts: Record<string, number> = {};
  const name = `${kind.name}:${index}`;
  const word = `${seed}:${ENGINE}:${name}`;
  const began = performance.now();
  const tools: CaseTools = {
    sampler: createSampler(word),
    noise: createSampler(`${word}:noise`),
    migrated: migrated.template,
    createInstall: async (options) => {
      const install = await createCaseInstall(options);
      ends.push(() => install[Symbol.asyncDispose]());
      return install;
    },
    killedAt: (step) => steps.push(step),
    violation: (text) => violations.push(text),
    count: (what) => (counts[what] = (counts[what] ?? 0) + 1),
    defer: (end) => ends.push(end),
    deferToEnd: (end) => atEnd.push(end),
  };
  try {
    await kind.run(kills, tools);
  } catch (error) {
    violations.push(`the case failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  } finally {
    await endAll(ends);
  }
  const tookMs = Math.round(performance.now() - began);
  return { kind: kind.name, database: ENGINE, name, steps, violations, counts, tookMs };
}

/** A migrated and empty database, which takes seconds to create and milliseconds to copy. */
async function createMigrated(): Promise<{ readonly template: string; end(): Promise<void> }> {
  await buildServer();
  if (ENGINE === 'postgres') {
    const template = `carillon_proof_${process.pid}`;
    await onServer(`create database ${template}`);
    const database = await openPostgres(databaseUrl(template));
    await database.migrate();
    await database.close();
    return { template, end: () => onServer(`drop database if exists ${template} with (force)`) };
  }
  const folder = await mkdtemp(join(tmpdir(), 'carillon-proof-migrated-'));
  const database = await openPglite(join(folder, 'db'));
  await database.migrate();
  await database.close();
  return { template: join(folder, 'db'), end: () => rm(folder, { recursive: true, force: true }) };
}
