/** A database with the schema of the first release and rows in it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Configuration } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import { initialMigration } from '../../../entities/migrations/index.ts';
import { openPglite, openPostgres } from '../../../entities/orm.ts';
import { ENGINE } from '../../crash/install.ts';
import { databaseUrl, onServer } from '../../harness/database.ts';
import { query } from '../../harness/query.ts';
import type { CaseTools } from './kill-case.ts';

const ROWS = 3_000;
const ACCOUNT = '01900000-0000-7000-8000-000000000001';
const CONNECTION = '01900000-0000-7000-8000-000000000002';
const WEBHOOK = '01900000-0000-7000-8000-000000000003';

/** Ids sort by time, and retention trusts that. */
const ID = `(lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '7000' || substr(md5(random()::text), 1, 16))::uuid`;

const FILL: readonly string[] = [
  `insert into accounts (id, created_at) values ('${ACCOUNT}', now())`,
  `insert into connections (id, account_id, platform_id, slug, description, queue_slots, platform_account_id, handle, created_at)
   values ('${CONNECTION}', '${ACCOUNT}', 'sandbox', 'old', '', '[]', gen_random_uuid()::text, 'sandbox', now())`,
  `insert into posts (id, account_id, connection_id, connection_slug, platform_id, mode, status, text, original_text, tags,
     thread, created_at, sent_at)
   select ${ID}, '${ACCOUNT}', '${CONNECTION}', 'old', 'sandbox', 'live', 'sent', 'post ' || n, 'post ' || n, '{}',
     '{}', now() - n * interval '1 minute', now() - n * interval '1 minute' from generate_series(1, ${ROWS}) n`,
  `insert into events (id, account_id, name, mode, subject_id, payload, created_at, fanned_out_at)
   select ${ID}, account_id, 'post.sent', 'live', id, '{}', sent_at, sent_at from posts`,
  `insert into webhooks (id, account_id, mode, url, created_at, disabled_at)
   values ('${WEBHOOK}', '${ACCOUNT}', 'live', 'https://hook.bells.example/', now(), now())`,
  `insert into deliveries (id, webhook_id, source_id, event, mode, body, status, created_at, next_attempt_at)
   select ${ID}, '${WEBHOOK}', id, 'post.sent', 'live', '{}', 'delivered', created_at, created_at from events`,
];

/** A sum over the old columns of the rows, which a migration leaves as they are. */
export const SUM_OF_ROWS = `
  select (select count(*) || ' posts ' || md5(string_agg(id || text || status, ' ' order by id)) from posts) || ', ' ||
    (select count(*) || ' events ' || md5(string_agg(id || name, ' ' order by id)) from events
       where name = 'post.sent') || ', ' ||
    (select count(*) || ' deliveries ' || md5(string_agg(id || body, ' ' order by id)) from deliveries) as sum`;

let made: Promise<string> | undefined;

/** Created once in each process; a case copies it. */
export function createOldDatabase(tools: Pick<CaseTools, 'deferToEnd'>): Promise<string> {
  made ??= create(tools);
  return made;
}

async function create({ deferToEnd }: Pick<CaseTools, 'deferToEnd'>): Promise<string> {
  const name = `carillon_proof_old_${process.pid}`;
  const folder = await mkdtemp(join(tmpdir(), 'carillon-proof-old-'));
  deferToEnd(() => rm(folder, { recursive: true, force: true }));
  if (ENGINE === 'postgres') {
    await onServer(`create database ${name}`);
    deferToEnd(() => onServer(`drop database if exists ${name} with (force)`));
  }
  const database = await (ENGINE === 'postgres' ? openPostgres(databaseUrl(name)) : openPglite(join(folder, 'db')));
  // The migration only lists its statements; it uses neither the driver nor the configuration.
  const initial = new initialMigration.class(
    undefined as unknown as AbstractSqlDriver,
    undefined as unknown as Configuration,
  );
  initial.up();
  const list = [
    `create table mikro_orm_migrations (id serial primary key, name varchar(255), executed_at timestamptz default current_timestamp)`,
    `insert into mikro_orm_migrations (name) values ('${initialMigration.name}')`,
  ];
  for (const sql of [...initial.getQueries().map(String), ...list, ...FILL]) await query(database.em(), sql);
  await database.close();
  return ENGINE === 'postgres' ? name : join(folder, 'db');
}
