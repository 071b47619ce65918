/** analytics: a year of metrics, for an account with a million posts against one with a thousand. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import { Agent, request } from 'undici';
import { connectSandboxes, HEADERS, publish } from '../api.ts';
import { createDatabase, createFolder } from '../databases.ts';
import { fillAccount, SPREAD_PROFILE } from '../large-account.ts';
import { type BenchProcess, startOnPostgres } from '../processes.ts';
import { type Finding, median, type Row } from '../row.ts';

const SMALL = 1_000;
const LARGE = Number(process.env['BENCH_ANALYTICS_POSTS'] ?? 1_000_000);

/** Accounts that the posts went to. */
const SANDBOXES = 8;

/** Highest allowed multiple of the time for a thousand posts. */
const TARGET = 5;

/** Requests of each size that are not counted. */
const WARM_UPS = 50;

/** Requests of each size. */
const QUESTIONS = 300;

const DAYS = 365;

const FILTERS = [
  { row: 'analytics', filter: '' },
  { row: 'analytics, profile', filter: `&profileId=${SPREAD_PROFILE}` },
  { row: 'analytics, slug', filter: '&connectionSlug=sandbox' },
];

export const analytics: Row = {
  name: 'analytics',
  run: async () => {
    await using small = await install(SMALL);
    await using large = await install(LARGE);
    const agent = new Agent();
    const findings: Finding[] = [];
    for (const { row, filter } of FILTERS) findings.push(await compare(row, filter, agent, [small, large]));
    await agent.close();
    return findings;
  },
};

interface Install extends AsyncDisposable {
  readonly origin: string;
}

/** A separate install whose one account has this many posts, all counted by its worker. */
async function install(posts: number): Promise<Install> {
  await using made = new AsyncDisposableStack();
  const database = made.use(await createDatabase());
  const folder = made.use(await createFolder());
  const service: BenchProcess = made.use(await startOnPostgres(database.url, folder.path, 'all'));
  const [slug = ''] = await connectSandboxes(service.origin, SANDBOXES);
  const [postId = ''] = await publish(service.origin, [slug]);
  await fillAccount(database.client, postId, posts);
  await allCounted(database.client);
  await database.client.query('vacuum analyze');
  const moved = made.move();
  return { origin: service.origin, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

async function allCounted(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      `select 1 from posts where sent_at is not null and not counted and sent_at < (select max(sent_at) from posts) - interval '10 minutes' limit 1`,
    );
    if (rows.length === 0) return;
    await wait(500);
  }
}

/** Alternates the sizes, so that other load on the machine affects both. */
async function compare(
  row: string,
  filter: string,
  agent: Agent,
  [small, large]: [Install, Install],
): Promise<Finding> {
  const seen: { small: number; large: number }[] = [];
  while (seen.length < WARM_UPS + QUESTIONS) {
    seen.push({ small: await askedMs(agent, small.origin, filter), large: await askedMs(agent, large.origin, filter) });
  }
  const counted = seen.slice(WARM_UPS);
  const [smallMs, largeMs] = [median(counted.map((one) => one.small)), median(counted.map((one) => one.large))];
  return {
    row,
    ours: `${largeMs.toFixed(2)} ms of ${LARGE.toLocaleString('en')}`,
    baseline: `${smallMs.toFixed(2)} ms of ${SMALL.toLocaleString('en')}`,
    ratio: (largeMs / smallMs).toFixed(2),
    target: `< ${TARGET.toFixed(2)}`,
    met: largeMs / smallMs < TARGET,
  };
}

/** The time of an answer over a year, from the request to the last byte. @throws Error when the request failed */
async function askedMs(agent: Agent, origin: string, filter: string): Promise<number> {
  const from = new Date(Date.now() - (DAYS - 1) * 86_400_000).toISOString().slice(0, 10);
  const asked = performance.now();
  const answer = await request(`${origin}/api/v2/analytics?from=${from}${filter}`, {
    headers: HEADERS,
    dispatcher: agent,
  });
  const text = await answer.body.text();
  const took = performance.now() - asked;
  if (answer.statusCode !== 200) throw new Error(`GET /analytics${filter} answered ${answer.statusCode}: ${text}`);
  const { days } = JSON.parse(text) as { days: unknown[] };
  if (days.length !== DAYS) throw new Error(`GET /analytics${filter} gave ${days.length} of ${DAYS} days`);
  return took;
}
