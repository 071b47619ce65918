/** Stores a year of use by SQL, in an install that has none. */
import { Client } from 'pg';
import { type BenchDatabase } from './databases.ts';
import {
  ACCOUNTS_SQL,
  ATTEMPTS_SQL,
  AUDIT_SQL,
  DAILY_SQL,
  DELIVERIES_SQL,
  DUE_SQL,
  EVENTS_SQL,
  NEW_EVENTS_SQL,
  READS_SQL,
  RECENT_SQL,
  SENT_SQL,
  TAGS_SQL,
  WAITING_SQL,
  WORDS_SQL,
} from './year-data.ts';

export interface Year {
  readonly posts: number;
  readonly events: number;
  readonly auditEntries: number;
  /** When the `DUE_POSTS` are due. */
  readonly dueAt: Date;
}

export function yearOf(posts: number, dueAt: Date): Year {
  return { posts, events: 3 * posts, auditEntries: posts / 2, dueAt };
}

const TABLES = [
  'posts',
  'post_words',
  'post_tags',
  'attempts',
  'metrics_reads',
  'events',
  'deliveries',
  'audit_entries',
];

/**
 * Stores a year in an install that has {@link CONNECTIONS} sandbox connections and one webhook. Secondary indexes are built
 * after the rows, and foreign keys are not checked, which takes a superuser.
 */
export async function storeYear(
  { url, client }: BenchDatabase,
  year: Year,
  log: (text: string) => void,
): Promise<void> {
  const now = new Date();
  await client.query('begin');
  for (const statement of ACCOUNTS_SQL) await client.query(statement);
  await client.query('commit');
  const { rows: indexes } = await client.query<{ name: string; table: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, i.indrelid::regclass::text as table, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i where i.indrelid = any($1::text[]::regclass[]) and not i.indisunique`,
    [TABLES],
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  const run = async (...steps: readonly (readonly [string, readonly unknown[]])[]) => {
    await using other = await connect(url);
    for (const [text, values] of steps) {
      const began = performance.now();
      const { rowCount } = await other.client.query(text, [...values]);
      const [first = ''] = text.trim().split('\n');
      log(`${Math.round((performance.now() - began) / 1000)} s, ${rowCount ?? 0} rows: ${first.slice(0, 80)}`);
    }
  };
  const indexed = (...tables: readonly string[]) =>
    indexes.filter(({ table }) => tables.includes(table)).map(({ definition }) => [definition, []] as const);
  await Promise.all([
    run([SENT_SQL, [now, year.posts]], [WAITING_SQL, [now, year.posts]], [DUE_SQL, [now, year.posts, year.dueAt]]),
    run([AUDIT_SQL, [now, year.auditEntries]], ...indexed('audit_entries')),
  ]);
  await Promise.all([
    run(
      ...indexed('posts'),
      [WORDS_SQL, []],
      ...indexed('post_words'),
      [TAGS_SQL, []],
      ...indexed('post_tags'),
      [ATTEMPTS_SQL, []],
      ...indexed('attempts'),
      [READS_SQL, []],
      [DAILY_SQL, []],
    ),
    run(
      ...RECENT_SQL.map((text) => [text, text.includes('$1') ? [now] : []] as const),
      [EVENTS_SQL, [now, year.events]],
      [DELIVERIES_SQL, []],
      [NEW_EVENTS_SQL, []],
      ...indexed('events', 'deliveries'),
    ),
  ]);
  await client.query('drop table bench_recent, bench_connections, bench_accounts');
  await client.query('vacuum analyze');
}

/** A connection that may use more memory, and checks no foreign keys. */
async function connect(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`set session_replication_role = replica`);
  await client.query(`set work_mem = '256MB'`);
  await client.query(`set maintenance_work_mem = '1GB'`);
  await client.query(`set synchronous_commit = off`);
  return { client, [Symbol.asyncDispose]: () => client.end() };
}
