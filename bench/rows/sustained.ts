/**
 * sustained: 200 posts a second for a minute, sent on schedule independent of the answers, and a check of the events
 * table.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { connectSandboxes, HEADERS, postBody } from '../api.ts';
import { type BenchDatabase, createDatabase, createFolder } from '../databases.ts';
import { startOnPostgres } from '../processes.ts';
import { type Finding, percentile, type Row } from '../row.ts';

/** Posts per second. */
const RATE = 200;

/** Duration; shorter for a quick run. */
const SECONDS = Number(process.env['BENCH_SUSTAINED_SECONDS'] ?? 60);

/** Seconds of the same load before, not included in the latencies. */
const WARM_UP_SECONDS = 3;

/** Accounts that the posts go to, in turn. */
const SANDBOXES = 20;

/** One answer of this many is compared with the events table at the moment it arrives. */
const LOOKED_AT = 10;

/** Least share of the rate, and upper limit of the 99th percentile. */
const TARGET_SHARE = 0.99;
const TARGET_MS = 1_000;

export const sustained: Row = {
  name: 'sustained',
  run: async () => {
    await using database = await createDatabase();
    await using folder = await createFolder();
    await using service = await startOnPostgres(database.url, folder.path, 'all');
    const slugs = await connectSandboxes(service.origin, SANDBOXES);
    const agent = new Agent();
    const target: Target = { origin: service.origin, slugs, agent, database };
    const before = await onSchedule(target, WARM_UP_SECONDS);
    const run = await onSchedule(target, SECONDS);
    // Checked at once: an answer means that the data is already written.
    const stored = await count(database);
    await agent.close();
    return findings(run, stored, before.latenciesMs.length + run.latenciesMs.length);
  },
};

interface Target {
  readonly origin: string;
  readonly slugs: readonly string[];
  readonly agent: Agent;
  readonly database: BenchDatabase;
}

interface Run {
  /** From the scheduled time of each request, not its actual start, to its answer. */
  readonly latenciesMs: readonly number[];
  readonly perSecond: number;
  /** Why requests failed; empty when none did. */
  readonly errors: readonly string[];
  /** Answers that said sent while there was not exactly one event. */
  readonly early: number;
}

/** Sends requests on schedule: falling behind shows as latency. */
async function onSchedule(target: Target, seconds: number): Promise<Run> {
  const latenciesMs: number[] = [];
  const errors: string[] = [];
  let early = 0;
  const ask = async (index: number, dueMs: number): Promise<void> => {
    const postId = await post(target, index).catch((error: unknown) => {
      errors.push(String(error));
      return null;
    });
    latenciesMs.push(performance.now() - dueMs);
    if (postId !== null && index % LOOKED_AT === 0 && (await events(target.database, postId)) !== 1) early += 1;
  };
  const asked: Promise<void>[] = [];
  const begun = performance.now();
  for (let index = 0; index < RATE * seconds; index += 1) {
    const dueMs = begun + (index * 1000) / RATE;
    if (dueMs > performance.now()) await wait(dueMs - performance.now());
    asked.push(ask(index, dueMs));
  }
  await Promise.all(asked);
  const tookMs = Math.max(performance.now() - begun, seconds * 1000);
  return { latenciesMs, perSecond: (latenciesMs.length - errors.length) / (tookMs / 1000), errors, early };
}

/** Posts once and gives the id. @throws Error unless the answer says that it is sent */
async function post({ origin, slugs, agent }: Target, index: number): Promise<string> {
  const body = JSON.stringify(postBody([slugs[index % slugs.length] ?? '']));
  const url = `${origin}/api/v2/posts`;
  const answer = await request(url, { method: 'POST', headers: HEADERS, body, dispatcher: agent });
  const text = await answer.body.text();
  const { results } = JSON.parse(text) as { results?: { status: string; postId: string }[] };
  const [result] = results ?? [];
  if (answer.statusCode !== 200 || result?.status !== 'sent') throw new Error(`${answer.statusCode} ${text}`);
  return result.postId;
}

async function events({ client }: BenchDatabase, postId: string): Promise<number> {
  const sql = `select count(*)::int as found from events where subject_id = $1 and name = 'post.sent'`;
  const { rows } = await client.query<{ found: number }>(sql, [postId]);
  return rows[0]?.found ?? 0;
}

interface Stored {
  readonly posts: number;
  readonly sent: number;
  readonly events: number;
  /** Sent posts with exactly one event. */
  readonly notified: number;
}

async function count({ client }: BenchDatabase): Promise<Stored> {
  const { rows } = await client.query<Stored>(`
    with notified as (select subject_id, count(*) as times from events where name = 'post.sent' group by 1)
    select count(*)::int as posts, count(*) filter (where p.status = 'sent')::int as sent,
      (select coalesce(sum(times), 0)::int from notified) as events,
      count(*) filter (where p.status = 'sent' and t.times = 1)::int as notified
    from posts p left join notified t on t.subject_id = p.id`);
  const [stored] = rows;
  if (stored === undefined) throw new Error('nothing was counted');
  return stored;
}

function findings(run: Run, stored: Stored, requests: number): Finding[] {
  const { latenciesMs, perSecond, errors, early } = run;
  const [p50 = 0, p99 = 0, max = 0] = [0.5, 0.99, 1].map((share) => Math.round(percentile(latenciesMs, share)));
  for (const error of new Set(errors.slice(0, 5))) process.stderr.write(`sustained: ${error}\n`);
  const complete = [stored.posts, stored.sent, stored.events, stored.notified].every((found) => found === requests);
  return [
    {
      row: 'sustained',
      ours: `${Math.round(perSecond)} posts/s for ${SECONDS} s, p50 ${p50} / p99 ${p99} / max ${max} ms, ${errors.length} errors`,
      baseline: '',
      ratio: '',
      target: `${RATE} posts/s, p99 < ${TARGET_MS} ms, no error`,
      met: perSecond >= RATE * TARGET_SHARE && p99 < TARGET_MS && errors.length === 0,
    },
    {
      row: 'sustained, events',
      ours: `${requests} requests, ${stored.sent} sent, ${stored.events} events, ${early} answers before theirs`,
      baseline: '',
      ratio: '',
      target: 'one event each',
      met: complete && early === 0,
    },
  ];
}
