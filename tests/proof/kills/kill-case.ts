/** One case of the kill matrix: an install that is killed a few times under one kind of work, then checked. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInstall, type DisposableInstall, ENGINE, isReady, type ServerProcess } from '../../crash/install.ts';
import { minutesAhead } from '../../crash/skewed-clock.ts';
import { waitUntil } from '../../crash/wait-until.ts';
import { openPglite } from '../../../entities/orm.ts';
import { query } from '../../harness/query.ts';
import type { Sampler } from '../../simulation/sampler.ts';

/** A kind of work that is interrupted. */
export interface Kind {
  readonly name: string;
  /** Prepares, is killed `kills` times, and checks what is left. */
  run(kills: number, tools: CaseTools): Promise<void>;
}

export interface CaseTools {
  readonly sampler: Sampler;
  /** A sampler for what happens at the same time, whose order is not repeatable. */
  readonly noise: Sampler;
  /** Empty, unless a template is given; removed at the end of the case. */
  createInstall(options: { settings?: Record<string, string>; template?: string | undefined }): Promise<CaseInstall>;
  /** A migrated and empty database. */
  readonly migrated: string;
  /** Writes down at which step a kill hit. */
  killedAt(step: string): void;
  /** Writes down a broken guarantee. */
  violation(text: string): void;
  /** Counts something for the report that is not a broken guarantee. */
  count(what: string): void;
  /** Registers what ends with the case. */
  defer(end: () => PromiseLike<unknown>): void;
  /** Registers what ends with the process. */
  deferToEnd(end: () => PromiseLike<unknown>): void;
}

export interface CaseInstall extends DisposableInstall {
  /** Starts the install after a kill: what a dead process holds is free at once. */
  startAgain(): Promise<ServerProcess>;
  /** The same without waiting. `ready` fails when the process ends before. */
  launchAgain(): Promise<{ readonly server: ServerProcess; readonly ready: Promise<unknown> }>;
  /** Lets this many minutes pass until the next start. */
  passMinutes(minutes: number): Promise<void>;
  /** Reads the database as the kill has left it, without opening it. */
  look<Row>(sql: string): Promise<Row[]>;
}

/** What ages on PostgreSQL, whose clock the processes use. On the embedded database the next start has a later clock. */
const AGING: readonly string[] = [
  `update posts set claimed_until = claimed_until - $1::interval, sent_at = sent_at - $1::interval,
     next_read_at = next_read_at - $1::interval`,
  `update posts set scheduled_for = scheduled_for - $1::interval where status = 'scheduled'`,
  `update metrics_reads set fetched_at = fetched_at - $1::interval`,
  `update webhooks set lease_until = lease_until - $1::interval`,
  // Those in flight too: the order of deliveries is that of their times.
  `update deliveries set next_attempt_at = next_attempt_at - $1::interval where status in ('pending', 'processing')`,
  `update connections set renew_at = renew_at - $1::interval, renewal_lease_until = renewal_lease_until - $1::interval`,
  `update agenda_jobs set next_run_at = next_run_at - $1::interval, locked_at = null`,
];

/** What a dead process holds: its claims, leases and locks end at once instead of after a minute or more. */
const RELEASES: readonly string[] = [
  `update posts set claimed_until = now() - interval '1 second' where status = 'processing'`,
  `update posts set next_read_at = now() - interval '1 second'
     where next_read_at between now() and now() + interval '15 minutes'`,
  `update webhooks set lease_until = now() - interval '1 second' where lease_until > now()`,
  `update connections set renewal_lease_until = now() - interval '1 second' where renewal_lease_until > now()`,
  `update connections set renew_at = now() - interval '1 second'
     where renew_at between now() and now() + interval '5 minutes'`,
  `update agenda_jobs set locked_at = null, next_run_at = now() where locked_at is not null`,
];

export async function createCaseInstall({
  settings = {},
  template,
}: {
  settings?: Record<string, string>;
  template?: string | undefined;
}): Promise<CaseInstall> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-proof-'));
  const install = await createInstall({ dataDir: folder, settings, template });
  let minutes = 0;
  const clock = () => (minutes === 0 ? {} : { NODE_OPTIONS: minutesAhead(minutes) });
  const start = (env: Readonly<Record<string, string>> = {}) => install.start({ ...clock(), ...env });
  const inTurn = async (statements: readonly string[], parameters: readonly unknown[] = []) => {
    // The table of jobs is created at the first start of a worker.
    const [found] = await install.sql<{ jobs: boolean }>(`select to_regclass('agenda_jobs') is not null as jobs`);
    for (const statement of statements) {
      if (found?.jobs === true || !statement.includes('agenda_jobs')) await install.sql(statement, parameters);
    }
  };
  return {
    ...install,
    start,
    launch: (env = {}) => install.launch({ ...clock(), ...env }),
    startAgain: async () => {
      if (ENGINE === 'postgres') await inTurn(RELEASES);
      return start();
    },
    launchAgain: async () => {
      if (ENGINE === 'postgres') await inTurn(RELEASES);
      const server = install.launch(clock());
      const ready = waitUntil('the server is ready', () => isReady(server));
      ready.catch(() => undefined);
      return { server, ready };
    },
    passMinutes: async (passed) => {
      if (ENGINE === 'postgres') await inTurn(AGING, [`${passed} minutes`]);
      else minutes += passed;
    },
    look: async <Row>(sql: string) => {
      if (ENGINE === 'postgres') return install.sql<Row>(sql);
      const copy = await mkdtemp(join(tmpdir(), 'carillon-proof-look-'));
      try {
        await cp(join(folder, 'db'), copy, { recursive: true });
        const database = await openPglite(copy);
        try {
          return await query<Row>(database.em(), sql);
        } finally {
          await database.close();
        }
      } finally {
        await rm(copy, { recursive: true, force: true });
      }
    },
    [Symbol.asyncDispose]: async () => {
      await install[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface Finding {
  readonly rule: string;
  readonly subject: string;
}

/** Rules that hold in every database at rest. Each query returns the rows that break its rule. */
const RULES: Readonly<Record<string, string>> = {
  'a post has no outcome': `select id::text as subject from posts where status in ('scheduled', 'processing')`,
  'a ledger row was never settled': `select post_id::text as subject from attempts where state = 'sending' and step <> 'delete'`,
  'a sent post has not exactly one post.sent': `select p.id::text as subject from posts p where p.status in ('sent', 'deleted')
     and (select count(*) from events e where e.subject_id = p.id and e.name = 'post.sent') <> 1`,
  'a failed post has not exactly one post.failed': `select p.id::text as subject from posts p where p.status = 'failed'
     and (select count(*) from events e where e.subject_id = p.id and e.name = 'post.failed') <> 1`,
  'a post that was not sent has a post.sent': `select p.id::text as subject from posts p where p.status = 'failed'
     and exists (select 1 from events e where e.subject_id = p.id and e.name = 'post.sent')`,
  'a deleted post has not exactly one post.deleted': `select p.id::text as subject from posts p where p.status = 'deleted'
     and (select count(*) from events e where e.subject_id = p.id and e.name = 'post.deleted') <> 1`,
  'a part of a send was accepted twice': `select post_id::text as subject from attempts where state = 'accepted'
     group by post_id, generation, step, index having count(*) > 1`,
  'a sandbox post was published twice': `select min(text) as subject from sandbox_posts
     group by account_id, text having count(*) > 1`,
  'the daily metrics count other posts than were sent': `
     select p.posts || ' and ' || n.posts as subject from (select count(*) as posts from posts where counted) p,
       (select coalesce(sum(posts), 0) as posts from daily_numbers where scope = 'account') n where p.posts <> n.posts`,
};

/** The broken rules of a database at rest. @param except rules that do not hold for this kind of work */
export async function brokenRules(install: CaseInstall, except: readonly string[] = []): Promise<readonly Finding[]> {
  const parts = Object.entries(RULES)
    .filter(([rule]) => !except.includes(rule))
    .map(([rule, sql]) => `(select '${rule}' as rule, subject from (${sql}) broken limit 3)`);
  return install.sql<Finding>(parts.join(' union all '));
}
