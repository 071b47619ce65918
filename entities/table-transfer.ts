/**
 * Reads and writes all tables of a database by their catalog, on either engine. Values pass as the text that PostgreSQL
 * writes for them, so that both ends have exactly the same.
 */
import type { Database } from './orm.ts';

export type TextRow = Readonly<Record<string, string | null>>;

/** Runs SQL on one connection, within one transaction. Every column that it returns is text. */
export type RunSql = (sql: string, parameters?: readonly unknown[]) => Promise<TextRow[]>;

export interface TableShape {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** Rows that are in memory at a time. */
const BATCH = 500;

/** Transaction ids mean nothing in another cluster: 0 is older than each of them. */
const XID = 'xid8';

/** Runs the work in one transaction with one snapshot; no other statement runs on the embedded database meanwhile. */
export async function inOneTransaction<Result>(db: Database, work: (run: RunSql) => Promise<Result>): Promise<Result> {
  const { lite, openPool } = db;
  const pool = openPool?.(1);
  const client = await pool?.connect();
  const run: RunSql = async (sql, parameters = []) => {
    const answer =
      client === undefined ? await lite?.query(sql, [...parameters]) : await client.query(sql, [...parameters]);
    return (answer?.rows ?? []) as TextRow[];
  };
  try {
    await run('begin isolation level repeatable read');
    // The text of a value depends on them.
    for (const setting of [
      `timezone to 'UTC'`,
      `datestyle to 'ISO'`,
      `bytea_output to 'hex'`,
      'extra_float_digits to 1',
    ]) {
      await run(`set local ${setting}`);
    }
    const result = await work(run);
    await run('commit');
    return result;
  } catch (error) {
    await run('rollback').catch(() => undefined);
    throw error;
  } finally {
    client?.release();
    await pool?.end();
  }
}

/** The tables with their columns, without the list of migrations. */
export async function readShapes(run: RunSql): Promise<TableShape[]> {
  const rows = await run(`
    select c.relname::text as table, a.attname::text as column, format_type(a.atttypid, a.atttypmod) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      and a.attgenerated = '' and c.relname not like 'mikro\\_orm%'
    order by c.relname, a.attname`);
  const shapes = new Map<string, { name: string; type: string }[]>();
  for (const { table, column, type } of rows) {
    const columns = shapes.get(table ?? '') ?? [];
    shapes.set(table ?? '', [...columns, { name: column ?? '', type: type ?? '' }]);
  }
  return [...shapes].map(([name, columns]) => ({ name, columns }));
}

export async function hasRows(run: RunSql, { name }: TableShape): Promise<boolean> {
  return (await run(`select '1' as one from ${quoted(name)} limit 1`)).length > 0;
}

/** Copies the rows of a table. */
export async function copyTable(from: RunSql, to: RunSql, { name, columns }: TableShape): Promise<void> {
  const names = columns.map((column) => quoted(column.name));
  await from(
    `declare copied no scroll cursor for select ${names.map((one) => `${one}::text`).join(', ')} from ${quoted(name)}`,
  );
  const places = columns.map((_, index) => `$${index + 1}::text[]`).join(', ');
  const values = columns.map(({ type }, index) => (type === XID ? `'0'::${XID}` : `v.c${index}::${type}`)).join(', ');
  const aliases = columns.map((_, index) => `c${index}`).join(', ');
  const insert = `insert into ${quoted(name)} (${names.join(', ')}) select ${values} from unnest(${places}) as v(${aliases})`;
  for (;;) {
    const rows = await from(`fetch ${BATCH} from copied`);
    if (rows.length === 0) break;
    await to(
      insert,
      columns.map((column) => rows.map((row) => row[column.name] ?? null)),
    );
  }
  await from('close copied');
}

/** Number of rows, and a sum of their hashes that does not depend on their order. */
export async function sumTable(run: RunSql, { name, columns }: TableShape): Promise<{ rows: number; sum: string }> {
  const compared = columns.filter(({ type }) => type !== XID).map((column) => quoted(column.name));
  const half = (at: number) => `coalesce(sum(('x' || substr(h, ${at}, 15))::bit(60)::bigint), 0)`;
  const [row] = await run(`
    select count(*)::text as rows, ${half(1)} || '/' || ${half(17)} as sum
    from (select md5(row(${compared.join(', ')})::text) as h from ${quoted(name)}) as hashed`);
  return { rows: Number(row?.['rows']), sum: row?.['sum'] ?? '' };
}

/**
 * Removes the foreign keys while rows arrive in any order.
 *
 * @returns adds them again, which checks every row
 */
export async function withoutForeignKeys(run: RunSql): Promise<() => Promise<void>> {
  const keys = await run(`
    select quote_ident(conname) as name, conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by conname`);
  for (const { name, table } of keys) await run(`alter table ${table} drop constraint ${name}`);
  return async () => {
    for (const { name, table, definition } of keys) {
      await run(`alter table ${table} add constraint ${name} ${definition}`);
    }
  };
}

/** Sets each sequence behind the largest value of its column. */
export async function setSequences(run: RunSql, { name, columns }: TableShape): Promise<void> {
  for (const column of columns) {
    const given = [quoted(name), column.name];
    const [found] = await run('select pg_get_serial_sequence($1, $2) as sequence', given);
    if (found?.['sequence'] == null) continue;
    await run(`
      select setval('${found['sequence']}', coalesce(max(${quoted(column.name)}), 0) + 1, false)::text as next
      from ${quoted(name)}`);
  }
}

/** Connections of other programs to this database; none on the embedded one. */
export async function countOtherSessions(run: RunSql): Promise<number> {
  const [row] = await run(`
    select count(*)::text as others from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`);
  return Number(row?.['others'] ?? 0);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
