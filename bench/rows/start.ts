/** start: the time until an install answers /readyz, the first time and again, and its memory then. */
import { createDatabase, createFolder } from '../databases.ts';
import { type BenchProcess, startOnPglite, startOnPostgres } from '../processes.ts';
import { median, note, type Row } from '../row.ts';

const ROUNDS = 3;

/** The measurements of one start. */
interface Start {
  readonly startMs: number;
  readonly memoryMb: number;
}

export const start: Row = {
  name: 'start',
  run: async () => {
    const postgres = await rounds(async () => {
      await using database = await createDatabase();
      await using folder = await createFolder();
      return await twice(() => startOnPostgres(database.url, folder.path, 'all'));
    });
    const pglite = await rounds(async () => {
      await using folder = await createFolder();
      return await twice(() => startOnPglite(folder.path));
    });
    return [
      note('first start', describeStarts(postgres.map(({ first }) => first))),
      note('second start', describeStarts(postgres.map(({ second }) => second))),
      note('first start, PGlite', describeStarts(pglite.map(({ first }) => first))),
      note('second start, PGlite', describeStarts(pglite.map(({ second }) => second))),
    ];
  },
};

async function rounds<Result>(measure: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let round = 0; round < ROUNDS; round += 1) results.push(await measure());
  return results;
}

async function twice(launch: () => Promise<BenchProcess>): Promise<{ first: Start; second: Start }> {
  return { first: await once(launch), second: await once(launch) };
}

async function once(launch: () => Promise<BenchProcess>): Promise<Start> {
  await using install = await launch();
  return { startMs: install.startMs, memoryMb: await install.memoryMb() };
}

function describeStarts(starts: readonly Start[]): string {
  const ms = Math.round(median(starts.map(({ startMs }) => startMs)));
  return `${ms} ms, ${Math.round(median(starts.map(({ memoryMb }) => memoryMb)))} MB`;
}
