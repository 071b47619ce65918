/** An install with many accounts and connections and thousands of scheduled posts, and the outcomes of those posts. */
import { setTimeout as wait } from 'node:timers/promises';
import { connectSandboxes, publish } from './api.ts';
import { type BenchDatabase, createDatabase, createFolder, notifyWorkers } from './databases.ts';
import { type BenchProcess, startOnPostgres } from './processes.ts';

/** Scheduled posts: this many for each connection. */
export interface Batch {
  readonly slugs: readonly string[];
  readonly each: number;
  /** When the first is due. */
  readonly due: Date;
  /** Period over which they become due, one connection after the other. Default: all at once. */
  readonly overMs?: number;
  /** Prefix of their text. */
  readonly directive?: string;
}

export interface Fleet extends AsyncDisposable {
  readonly database: BenchDatabase;
  /** Origin of the web process. */
  readonly origin: string;
  /** The sandbox connections of each account. */
  readonly slugs: readonly (readonly string[])[];
  startWorker(): Promise<BenchProcess>;
  /** Stores scheduled posts directly, without the API: a hundred thousand in seconds. */
  schedule(batch: Batch): Promise<void>;
}

/** So far ahead that the model of all posts is never due. */
const FAR_OFF_MS = 29 * 86_400_000;

/**
 * Starts an install with a web process and no worker.
 *
 * @param accounts how many sandbox connections each account has
 * @param settings environment variables of all its processes
 */
export async function startFleet(
  accounts: readonly number[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Fleet> {
  await using made = new AsyncDisposableStack();
  const database = made.use(await createDatabase());
  const folder = made.use(await createFolder());
  const web = made.use(await startOnPostgres(database.url, folder.path, 'web', settings));
  const connected = await connectSandboxes(
    web.origin,
    accounts.reduce((sum, connections) => sum + connections),
  );
  const [model = ''] = await publish(web.origin, connected.slice(0, 1), new Date(Date.now() + FAR_OFF_MS));
  const slugs: string[][] = [];
  for (const connections of accounts) slugs.push(connected.splice(0, connections));
  for (const ofAccount of slugs.slice(1)) await giveOwnAccount(database, ofAccount);
  // Foreign keys of many thousand rows are then checked by index.
  await database.client.query('vacuum analyze');
  const moved = made.move();
  return {
    database,
    origin: web.origin,
    slugs,
    startWorker: () => startOnPostgres(database.url, folder.path, 'worker', settings),
    schedule: (batch) => schedule(database, model, batch),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/**
 * Moves connections to a new account. Credentials are encrypted for their connection, so they are moved and not copied.
 */
export async function giveOwnAccount({ client }: BenchDatabase, slugs: readonly string[]): Promise<void> {
  await client.query(
    `with made as (
       insert into accounts select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid()))).*
       from accounts a order by a.created_at limit 1 returning id)
     update connections set account_id = made.id from made where slug = any($1::text[])`,
    [slugs],
  );
}

async function schedule(database: BenchDatabase, model: string, batch: Batch): Promise<void> {
  const { client } = database;
  const { slugs, each, due, overMs = 0, directive = '' } = batch;
  await client.query(
    `with sent_to as (
       select c.id, c.slug, c.account_id, c.platform_id, s.position, copy
       from unnest($2::text[]) with ordinality as s(slug, position) join connections c on c.slug = s.slug,
         generate_series(0, $3::int - 1) as copy)
     insert into posts
     select (jsonb_populate_record(p, jsonb_build_object(
       'id', overlay(gen_random_uuid()::text placing left(p.id::text, 8) from 1 for 8), 'account_id', t.account_id,
       'connection_id', t.id, 'connection_slug', t.slug, 'platform_id', t.platform_id, 'text', $6::text || p.text,
       'scheduled_for', $4::timestamptz
         + (copy * cardinality($2::text[]) + position - 1) * $5::float8 / ($3::int * cardinality($2::text[])) * interval '1 ms'
     ))).*
     from posts p, sent_to t where p.id = $1`,
    [model, slugs, each, due, overMs, directive],
  );
  await client.query('analyze posts');
  await notifyWorkers(database);
}

/** The outcome of posts. */
export interface Outcome {
  /** From the scheduled time to the start of the platform call, one value per post. */
  readonly lateMs: readonly number[];
  /** From the scheduled time of the first post to the outcome of the last. */
  readonly tookMs: number;
}

/** Longest that posts may take before the run fails as stuck. */
const STUCK_AFTER_MS = 120_000;

// By the indexes of due and of claimed posts: to scan all posts took PostgreSQL most of the time that is measured.
const LEFT = `
  select status, count(*)::int as posts from (
    select status, connection_slug from posts where status = 'scheduled' and not held and scheduled_for <= $1
    union all select status, connection_slug from posts where status = 'processing' and scheduled_for <= $1) as unfinished
  where connection_slug in (select unnest($2::text[])) group by status`;

// The timeline counts its calls for each post, so a second call shows even if it created nothing.
const OUTCOME = `
  select p.status, extract(epoch from a.started_at - p.scheduled_for)::float8 * 1000 as late_ms,
    extract(epoch from p.sent_at)::float8 * 1000 as sent_ms,
    (select count(*)::int from attempts o where o.post_id = p.id) as attempts,
    (select coalesce(sum(s.calls), 0)::int from sandbox_posts s where s.account_id = c.platform_account_id::uuid
       and s.token = a.token) as calls
  from posts p join connections c on c.id = p.connection_id left join attempts a on a.post_id = p.id
  where p.connection_slug = any($1::text[]) and p.scheduled_for >= $2 and p.scheduled_for <= $3`;

interface OutcomeRow {
  status: string;
  late_ms: number;
  sent_ms: number;
  attempts: number;
  calls: number;
}

/**
 * Waits until every post of a batch to the sandbox has an outcome.
 *
 * @throws Error unless each is sent, and its platform was called for it once
 */
export async function outcomeOf({ client }: BenchDatabase, batch: Batch): Promise<Outcome> {
  const { slugs, each, due, overMs = 0 } = batch;
  const last = new Date(due.getTime() + overMs);
  await wait(Math.max(last.getTime() - Date.now(), 0));
  for (;;) {
    const { rows } = await client.query<{ status: string; posts: number }>(LEFT, [last, slugs]);
    if (rows.length === 0) break;
    const left = rows.map(({ status, posts }) => `${posts} ${status}`).join(', ');
    if (Date.now() > last.getTime() + STUCK_AFTER_MS)
      throw new Error(`after ${STUCK_AFTER_MS} ms posts were left: ${left}`);
    await wait(200);
  }
  const { rows } = await client.query<OutcomeRow>(OUTCOME, [slugs, due, last]);
  const once = rows.filter((row) => row.status === 'sent' && row.attempts === 1 && row.calls === 1);
  if (rows.length !== slugs.length * each || once.length !== rows.length)
    throw new Error(`of ${slugs.length * each} posts ${rows.length} are there and ${once.length} were sent once`);
  const sentMs = rows.reduce((latest, row) => Math.max(latest, row.sent_ms), 0);
  return { lateMs: rows.map((row) => row.late_ms), tookMs: sentMs - due.getTime() };
}

/** An instant this many milliseconds ahead, on a whole second. */
export function ahead(ms: number): Date {
  return new Date(Math.ceil((Date.now() + ms) / 1000) * 1000);
}
