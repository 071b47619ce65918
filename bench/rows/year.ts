/**
 * year: an install after a year of use against one with 10,000 posts: lists, the calendar and analytics over the API;
 * claims, fan-out and retention by the functions that workers call.
 */
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import { call, connectSandboxes, HEADERS } from '../api.ts';
import { createDatabase, createFolder } from '../databases.ts';
import { startOnPostgres } from '../processes.ts';
import { type Finding, median, type Row } from '../row.ts';
import { storeYear, yearOf } from '../store-year.ts';
import { CONNECTIONS } from '../year-data.ts';
import { QUESTIONS, type Question } from '../year-questions.ts';
import { startYearWorker, WORK, type Work, type YearWorker } from '../year-worker.ts';

const SMALL = 10_000;
const LARGE = Number(process.env['BENCH_YEAR_POSTS'] ?? 10_000_000);

/** Highest allowed multiple of the time for {@link SMALL} posts. */
const TARGET = 1.5;

/** Times of each size that are not counted: enough for the connections to prepare their statements. */
const WARM_UPS = 20;

/** Times of each size, unless the time is up before. */
const TIMES = 100;
const TIME_UP_MS = 10_000;

/** The posts of the data that are scheduled for one instant are due this long after it was stored. */
const DUE_AFTER_MS = 2 * 86_400_000;

export const year: Row = {
  name: 'year',
  run: async () => {
    await using small = await install(SMALL);
    await using large = await install(LARGE);
    // Awaited, so that the installs run until it has ended.
    return await compareYears(small, large);
  },
};

interface YearInstall {
  readonly origin: string;
  readonly worker: YearWorker;
  readonly webhookId: string;
  /**
   * Removes what work that was rolled back has left, also from the indexes. By default a vacuum leaves those alone while less than 2% of a
   * table's pages have dead rows: it would clean the small install and not the large one.
   */
  vacuum(): Promise<void>;
}

/** A separate install with this many posts, and what belongs to them. */
async function install(posts: number): Promise<YearInstall & AsyncDisposable> {
  await using made = new AsyncDisposableStack();
  const database = made.use(await createDatabase());
  const folder = made.use(await createFolder());
  const encryptionKey = randomBytes(32).toString('base64');
  const settings = { ENCRYPTION_KEYS: encryptionKey, OUTBOUND_ALLOW: '127.0.0.1' };
  const { origin } = made.use(await startOnPostgres(database.url, folder.path, 'web', settings));
  await connectSandboxes(origin, CONNECTIONS);
  const { webhook } = await call<{ webhook: { id: string } }>(origin, '/webhooks', { url: 'http://127.0.0.1:9/' });
  const dueAt = new Date(Date.now() + DUE_AFTER_MS);
  await storeYear(database, yearOf(posts, dueAt), (line) => process.stderr.write(`  ${line}\n`));
  const worker = made.use(await startYearWorker(database.url, folder.path, encryptionKey, dueAt));
  const vacuum = async () =>
    void (await database.client.query('vacuum (index_cleanup on) posts, events, deliveries, webhooks'));
  const moved = made.move();
  return { origin, worker, webhookId: webhook.id, vacuum, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

async function compareYears(small: YearInstall, large: YearInstall): Promise<Finding[]> {
  const agent = new Agent();
  const findings: Finding[] = [];
  for (const question of QUESTIONS)
    findings.push(await compare(question.name, (of) => askedMs(agent, of, question), [small, large]));
  await agent.close();
  for (const [name, work] of Object.entries(WORK)) findings.push(await compareWork(name, work, [small, large]));
  return findings;
}

type Sizes = readonly [YearInstall, YearInstall];

/** @throws Error when the two sizes had different amounts of work */
async function compareWork(name: string, work: Work, sizes: Sizes): Promise<Finding> {
  const amounts = new Map<YearInstall, number>();
  for (const of of sizes) await of.vacuum();
  const finding = await compare(
    name,
    async (of) => {
      const { ms, amount } = await of.worker.run(work);
      amounts.set(of, amount);
      return ms;
    },
    sizes,
  );
  const [few, many] = sizes.map((of) => amounts.get(of));
  if (few !== many) throw new Error(`${name}: ${few} with ${SMALL} posts, and ${many} with ${LARGE}`);
  return finding;
}

/** Alternates the sizes, so that other load on the machine affects both. */
async function compare(
  row: string,
  measure: (of: YearInstall) => Promise<number>,
  [small, large]: Sizes,
): Promise<Finding> {
  const seen: { small: number; large: number }[] = [];
  const begun = performance.now();
  while (seen.length < WARM_UPS + TIMES && performance.now() - begun < TIME_UP_MS)
    seen.push({ small: await measure(small), large: await measure(large) });
  const counted = seen.slice(Math.min(WARM_UPS, Math.floor(seen.length / 2)));
  const [smallMs, largeMs] = [median(counted.map((one) => one.small)), median(counted.map((one) => one.large))];
  const ratio = largeMs / smallMs;
  process.stderr.write(`  ${row}: ${largeMs.toFixed(2)} ms, ${smallMs.toFixed(2)} ms, ${ratio.toFixed(2)}\n`);
  return {
    row,
    ours: `${largeMs.toFixed(2)} ms of ${LARGE.toLocaleString('en')}`,
    baseline: `${smallMs.toFixed(2)} ms of ${SMALL.toLocaleString('en')}`,
    ratio: ratio.toFixed(2),
    target: `<= ${TARGET.toFixed(2)}`,
    met: ratio <= TARGET,
  };
}

/** From the request to the last byte. @throws Error when the answer does not have the rows */
async function askedMs(
  agent: Agent,
  { origin, webhookId }: YearInstall,
  { name, path, rows }: Question,
): Promise<number> {
  const asked = performance.now();
  const url = `${origin}/api/v2${path.replace('{webhookId}', webhookId)}`;
  const answer = await request(url, { headers: HEADERS, dispatcher: agent });
  const text = await answer.body.text();
  const took = performance.now() - asked;
  if (answer.statusCode !== 200) throw new Error(`${name}: ${path} answered ${answer.statusCode}: ${text}`);
  if (rows !== undefined) {
    const found = (JSON.parse(text) as Record<string, unknown[]>)[rows.of]?.length;
    if (found !== rows.count) throw new Error(`${name}: ${path} gave ${found} of ${rows.count} rows`);
  }
  return took;
}
