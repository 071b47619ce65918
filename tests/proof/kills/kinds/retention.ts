/** Removal of expired rows: events, deliveries, audit entries, records of idempotency and reads of metrics. */
import { setTimeout as wait } from 'node:timers/promises';
import type { ServerProcess } from '../../../crash/server-process.ts';
import { waitUntil } from '../../../crash/wait-until.ts';
import { brokenRules, type CaseInstall, type Kind } from '../kill-case.ts';
import { createKillSwitch } from '../kill-switch.ts';

const ROWS = 6_000;
const OLD_POSTS = 300;
const READS = 78;

/** A sortable id of an instant, like those that the service makes. */
const idAt = (instant: string) =>
  `(lpad(to_hex((extract(epoch from ${instant}) * 1000)::bigint), 12, '0') || '7000' || substr(md5(random()::text), 1, 16))::uuid`;

const EXPIRED = `now() - interval '420 days' - n * interval '1 second'`;
const KEPT = `now() - interval '1 hour' - n * interval '1 second'`;

const eventsAt = (instant: string) => `
  insert into events (id, account_id, name, mode, subject_id, payload, created_at, fanned_out_at)
  select ${idAt(instant)}, a.id, 'post.rescheduled', 'live', gen_random_uuid(), '{}', ${instant}, ${instant}
  from accounts a, generate_series(1, ${ROWS}) n`;
const deliveriesAt = (instant: string) => `
  insert into deliveries (id, webhook_id, event, mode, body, status, created_at, next_attempt_at)
  select ${idAt(instant)}, w.id, 'post.sent', 'live', '{}', 'delivered', ${instant}, ${instant}
  from webhooks w, generate_series(1, ${ROWS}) n`;
const auditAt = (instant: string) => `
  insert into audit_entries (id, account_id, at, actor_kind, actor_id, actor_name, surface, operation, object_ids, mode)
  select ${idAt(instant)}, a.id, ${instant}, 'key', 'proof', 'proof', 'rest', 'proof', '{}', 'live'
  from accounts a, generate_series(1, ${ROWS}) n`;

const FILL: readonly string[] = [
  `insert into webhooks (id, account_id, mode, url, created_at, disabled_at)
   select gen_random_uuid(), id, 'live', 'https://hook.bells.example/', now(), now() from accounts`,
  ...[EXPIRED, KEPT].flatMap((instant) => [eventsAt(instant), deliveriesAt(instant), auditAt(instant)]),
  `insert into idempotency_records (id, account_id, key, operation, body_hash, response, completed_at, created_at, expires_at)
   select gen_random_uuid(), a.id, 'old ' || n, 'proof', '', '{}', ${EXPIRED}, ${EXPIRED}, ${EXPIRED}
   from accounts a, generate_series(1, ${ROWS}) n`,
  `insert into posts (id, account_id, connection_id, connection_slug, platform_id, mode, status, text, original_text, tags,
     thread, created_at, sent_at)
   select gen_random_uuid(), c.account_id, c.id, c.slug, 'sandbox', 'live', 'sent', 'old ' || n, 'old ' || n, '{}', '{}',
     now() - interval '100 days', now() - interval '100 days'
   from connections c, generate_series(1, ${OLD_POSTS}) n where c.slug = 'sandbox'`,
  `insert into metrics_reads (post_id, number, fetched_at, likes)
   select p.id, n, p.sent_at + (case when n <= 49 then n else 49 + (n - 49) * 24 end) * interval '1 hour', n
   from posts p, generate_series(1, ${READS}) n where p.text like 'old %'`,
];

interface Left {
  readonly events: number;
  readonly deliveries: number;
  readonly audit: number;
  readonly records: number;
  readonly unthinned: number;
  /** Posts whose reads are neither all there nor thinned as their row says. */
  readonly halves: number;
  readonly kept: number;
}

const LEFT = `
  select (select count(*) from events where name = 'post.rescheduled' and created_at < now() - interval '300 days')::int as events,
    (select count(*) from deliveries where created_at < now() - interval '300 days')::int as deliveries,
    (select count(*) from audit_entries where operation = 'proof' and at < now() - interval '300 days')::int as audit,
    (select count(*) from idempotency_records where key like 'old %')::int as records,
    (select count(*) from posts where text like 'old %' and reads_thinned = 0)::int as unthinned,
    (select count(*) from (select p.reads_thinned as thinned, count(r.number) as reads from posts p
       left join metrics_reads r on r.post_id = p.id where p.text like 'old %' group by p.id) o
     where (thinned = 0 and reads <> ${READS}) or (thinned > 0 and reads not between 29 and 34))::int as halves,
    (select count(*) from events where name = 'post.rescheduled' and created_at > now() - interval '300 days')::int +
      (select count(*) from deliveries where created_at > now() - interval '300 days')::int +
      (select count(*) from audit_entries where operation = 'proof' and at > now() - interval '300 days')::int as kept`;

export const retention: Kind = {
  name: 'retention',
  run: async (kills, tools) => {
    const { sampler } = tools;
    const switched = createKillSwitch({ nameOf: () => null, slowestMs: 0, sampler: tools.noise });
    const install = await tools.createInstall({ template: tools.migrated });
    // The first start creates the account and its sandbox.
    await (await install.start()).stop();
    for (const sql of FILL) await install.sql(sql);
    for (let kill = 0; kill < kills; kill += 1) {
      await install.passMinutes(2);
      const { server, ready } = await install.launchAgain();
      // The first round begins within two seconds of the start.
      const plan = { moment: 'time', nth: 1, delayMs: sampler.int(0, 3_000) } as const;
      await switched.kill(server, plan, ready);
      const left = await look(install);
      tools.killedAt(stepOf(left));
      if (left.halves > 0) tools.violation(`${left.halves} posts have a part of their reads`);
      if (left.kept !== 3 * ROWS) tools.violation(`${left.kept} of ${3 * ROWS} rows that are kept are there`);
    }
    const left = await finish(install);
    if (stepOf(left) !== 'all removed') tools.violation(`expired rows are left: ${JSON.stringify(left)}`);
    if (left.halves > 0) tools.violation(`${left.halves} posts have a part of their reads`);
    if (left.kept !== 3 * ROWS) tools.violation(`${left.kept} of ${3 * ROWS} rows that are kept are there`);
    const except = ['a sent post has not exactly one post.sent'];
    for (const { rule, subject } of await brokenRules(install, except)) tools.violation(`${rule}: ${subject}`);
  },
};

async function look(install: CaseInstall): Promise<Left> {
  const [left] = await install.look<Left>(LEFT);
  if (left === undefined) throw new Error('nothing was counted');
  return left;
}

function stepOf({ events, deliveries, audit, records, unthinned }: Left): string {
  const left = [events, deliveries, audit, records, unthinned];
  if (left.every((count) => count === 0)) return 'all removed';
  const isUntouched = left.every((count, index) => count === (index === 4 ? OLD_POSTS : ROWS));
  return isUntouched ? 'nothing removed yet' : 'a part removed';
}

/** How long a worker removes rows in each start before what is left is looked at. */
const ROUND_MS = 5_000;

/** Two minutes pass between two starts: a periodic job that ran more recently has run since the last one. */
const RECENTLY_MS = 90_000;

/** After this many starts that removed nothing, what is left is taken to stay. A busy machine removes little in each. */
const IDLE_ROUNDS_MAX = 5;

/** Lets retention run until nothing expired is left, or nothing more is removed. */
async function finish(install: CaseInstall): Promise<Left> {
  let before = '';
  for (let idleRounds = 0; ;) {
    await install.passMinutes(2);
    const server = await install.startAgain();
    await waitUntil('periodic jobs run', () => runsJobs(server));
    await wait(ROUND_MS);
    await server.stop();
    const [left] = await install.sql<Left>(LEFT);
    if (left === undefined) throw new Error('nothing was counted');
    const now = JSON.stringify(left);
    idleRounds = now === before ? idleRounds + 1 : 0;
    if (stepOf(left) === 'all removed' || idleRounds === IDLE_ROUNDS_MAX) return left;
    before = now;
  }
}

/** Whether a job of the same period as retention has run. A worker begins after its process is ready, on a busy machine much later. */
async function runsJobs(server: ServerProcess): Promise<boolean> {
  const { body } = await server.rest('GET /health');
  const { lastRunAt } = body.checks.xUsageSweep;
  return lastRunAt !== null && Date.parse(body.time) - Date.parse(lastRunAt) < RECENTLY_MS;
}
