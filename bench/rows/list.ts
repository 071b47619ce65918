/** list: the first page of posts, for one client, for an account with a million posts against one with a thousand. */
import { Agent, request } from 'undici';
import { connectSandboxes, HEADERS, publish } from '../api.ts';
import { createDatabase, createFolder } from '../databases.ts';
import { fillAccount, OLD_TAG, QUIET_PROFILE, SPREAD_PROFILE, SPREAD_TAG } from '../large-account.ts';
import { type BenchProcess, startOnPostgres } from '../processes.ts';
import { type Finding, median, type Row } from '../row.ts';

const SMALL = 1_000;
const LARGE = Number(process.env['BENCH_LIST_POSTS'] ?? 1_000_000);

/** Accounts that the posts went to. */
const SANDBOXES = 8;

const PAGE = 25;

/** Requests of each size that are not counted: enough for every connection of the pool to prepare its statements. */
const WARM_UPS = 100;

/** Pages requested of each size, unless the time is up before. */
const PAGES = 400;
const TIME_UP_MS = 15_000;

interface Question {
  readonly row: string;
  readonly filter: string;
  /** Highest allowed multiple of the time for a thousand posts. */
  readonly target: number;
}

const QUESTIONS: readonly Question[] = [
  { row: 'list', filter: '', target: 1.5 },
  { row: 'list, status', filter: '&status=sent', target: 2 },
  { row: 'list, tag', filter: `&tag=${SPREAD_TAG}`, target: 2 },
  { row: 'list, old tag', filter: `&tag=${OLD_TAG}`, target: 2 },
  { row: 'list, profile', filter: `&profileId=${SPREAD_PROFILE}`, target: 2 },
  { row: 'list, quiet profile', filter: `&profileId=${QUIET_PROFILE}`, target: 2 },
];

export const list: Row = {
  name: 'list',
  run: async () => {
    await using small = await install(SMALL);
    await using large = await install(LARGE);
    const agent = new Agent();
    const findings: Finding[] = [];
    for (const question of QUESTIONS) findings.push(await compare(question, agent, small.origin, large.origin));
    await agent.close();
    return findings;
  },
};

interface Install extends AsyncDisposable {
  readonly origin: string;
}

/** A separate install whose one account has this many posts. */
async function install(posts: number): Promise<Install> {
  await using made = new AsyncDisposableStack();
  const database = made.use(await createDatabase());
  const folder = made.use(await createFolder());
  const service: BenchProcess = made.use(await startOnPostgres(database.url, folder.path, 'web'));
  const [slug = ''] = await connectSandboxes(service.origin, SANDBOXES);
  const [postId = ''] = await publish(service.origin, [slug]);
  await fillAccount(database.client, postId, posts);
  const moved = made.move();
  return { origin: service.origin, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

/** Alternates the sizes page by page, so that other load on the machine affects both. */
async function compare(question: Question, agent: Agent, small: string, large: string): Promise<Finding> {
  const seen: { small: number; large: number }[] = [];
  const begun = performance.now();
  while (seen.length < WARM_UPS + PAGES && performance.now() - begun < TIME_UP_MS)
    seen.push({ small: await pageMs(agent, small, question), large: await pageMs(agent, large, question) });
  const counted = seen.slice(Math.min(WARM_UPS, Math.floor(seen.length / 2)));
  const [smallMs, largeMs] = [median(counted.map((one) => one.small)), median(counted.map((one) => one.large))];
  return {
    row: question.row,
    ours: `${largeMs.toFixed(2)} ms of ${LARGE.toLocaleString('en')}`,
    baseline: `${smallMs.toFixed(2)} ms of ${SMALL.toLocaleString('en')}`,
    ratio: (largeMs / smallMs).toFixed(2),
    target: `<= ${question.target.toFixed(2)}`,
    met: largeMs / smallMs <= question.target,
  };
}

/** The time of one page, from the request to the last byte. @throws Error when it is not a full page */
async function pageMs(agent: Agent, origin: string, { filter }: Question): Promise<number> {
  const asked = performance.now();
  const answer = await request(`${origin}/api/v2/posts?limit=${PAGE}${filter}`, {
    headers: HEADERS,
    dispatcher: agent,
  });
  const text = await answer.body.text();
  const took = performance.now() - asked;
  if (answer.statusCode !== 200) throw new Error(`GET /posts${filter} answered ${answer.statusCode}: ${text}`);
  const { posts } = JSON.parse(text) as { posts: unknown[] };
  if (posts.length !== PAGE) throw new Error(`GET /posts${filter} gave ${posts.length} of ${PAGE} posts`);
  return took;
}
