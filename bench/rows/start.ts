/** start: the time until an install answers /readyz, the first time and again, its memory, and what it does when idle. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createDatabase, createFolder } from '../databases.ts';
import { type BenchProcess, startOnPglite, startOnPostgres, startPeer } from '../processes.ts';
import { type Finding, median, type Row } from '../row.ts';

const ROUNDS = 3;

/** Memory is measured this long after the start. */
const SETTLE_MS = 5_000;

/** For how long an idle install is watched. */
const IDLE_MS = Number(process.env['BENCH_IDLE_SECONDS'] ?? 60) * 1_000;

/** How long it runs before that: in its first minute the engine compiles what it has begun to use. */
const SETTLED_AFTER_MS = 60_000;

/** How much longer than the bare server a restart may take. */
const RESTART_OVER_BASELINE_MS = 1_000;

/** Greatest share of one processor that an idle install may take, in percent. */
const IDLE_CPU = 1;

interface Engine {
  readonly name: string;
  /** Most resident memory in MB after the first start, and after a restart. */
  readonly firstMb: number;
  readonly restartMb: number;
  /** Calls `work` with a place for an install and what starts it there. */
  readonly inNewPlace: <Result>(work: (launch: Launch) => Promise<Result>) => Promise<Result>;
}

interface Launch {
  install(): Promise<BenchProcess>;
  /** Beside no install, because both open the same files. */
  baseline(): Promise<BenchProcess>;
}

const ENGINES: readonly Engine[] = [
  {
    name: '',
    firstMb: 250,
    restartMb: 250,
    inNewPlace: async (work) => {
      await using database = await createDatabase();
      await using folder = await createFolder();
      return await work({
        install: () => startOnPostgres(database.url, folder.path, 'all'),
        baseline: () => startPeer('minimal-start.ts', { DATABASE_URL: database.url }),
      });
    },
  },
  {
    name: ', PGlite',
    firstMb: 450,
    restartMb: 350,
    inNewPlace: async (work) => {
      await using folder = await createFolder();
      return await work({
        install: () => startOnPglite(folder.path),
        baseline: () => startPeer('minimal-start.ts', { DATA_DIR: join(folder.path, 'db') }),
      });
    },
  },
];

/** The measurements of one round. */
interface Round {
  readonly first: { readonly startMs: number; readonly memoryMb: number };
  readonly restart: { readonly startMs: number; readonly memoryMb: number };
  readonly baselineMs: number;
  /** Percent of one processor; only the last round watches it. */
  readonly idleCpu: number;
}

export const start: Row = {
  name: 'start',
  run: async () => {
    const findings: Finding[] = [];
    for (const engine of ENGINES) findings.push(...(await measure(engine)));
    return findings;
  },
};

async function measure(engine: Engine): Promise<Finding[]> {
  const rounds: Round[] = [];
  for (let left = ROUNDS; left > 0; left -= 1)
    rounds.push(await engine.inNewPlace((launch) => measureRound(launch, left === 1)));
  const middle = (read: (round: Round) => number) => Math.round(median(rounds.map(read)));
  const [restartMs, baselineMs] = [middle(({ restart }) => restart.startMs), middle((round) => round.baselineMs)];
  const idleCpu = rounds.at(-1)?.idleCpu ?? Infinity;
  const finding = (row: string, ours: string, target: string, met: boolean, baseline = ''): Finding => ({
    row: `${row}${engine.name}`,
    ours,
    baseline,
    ratio: '',
    target,
    met,
  });
  const memory = (row: string, read: (round: Round) => Round['first'], mostMb: number) => {
    const mb = middle((round) => read(round).memoryMb);
    const ours = `${middle((round) => read(round).startMs)} ms, ${mb} MB`;
    return finding(row, ours, `< ${mostMb} MB`, mb < mostMb);
  };
  return [
    memory('first start', ({ first }) => first, engine.firstMb),
    memory('restart', ({ restart }) => restart, engine.restartMb),
    finding(
      'restart over bare',
      `${restartMs} ms`,
      `< ${RESTART_OVER_BASELINE_MS} ms more`,
      restartMs - baselineMs < RESTART_OVER_BASELINE_MS,
      `${baselineMs} ms`,
    ),
    finding('idle', `${idleCpu.toFixed(2)} % of a processor`, `< ${IDLE_CPU} %`, idleCpu < IDLE_CPU),
  ];
}

async function measureRound({ install, baseline }: Launch, watchesIdle: boolean): Promise<Round> {
  const { start: first } = await once(install, false);
  const { start: restart, idleCpu } = await once(install, watchesIdle);
  await using peer = await baseline();
  return { first, restart, baselineMs: peer.startMs, idleCpu };
}

async function once(launch: () => Promise<BenchProcess>, watchesIdle: boolean) {
  await using install = await launch();
  await wait(SETTLE_MS);
  const memoryMb = await install.memoryMb();
  return { start: { startMs: install.startMs, memoryMb }, idleCpu: watchesIdle ? await idleShare(install) : Infinity };
}

/** In percent of one processor. */
async function idleShare(install: BenchProcess): Promise<number> {
  await wait(SETTLED_AFTER_MS);
  const before = await install.cpuMs();
  await wait(IDLE_MS);
  return ((await install.cpuMs()) - before) / (IDLE_MS / 100);
}
