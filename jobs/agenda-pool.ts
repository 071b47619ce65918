/**
 * The connection that Agenda uses, on either engine. It needs two things that a plain `pg.Pool` does not give: the
 * embedded database, and the clock that all workers share. Agenda computes with the clock of its machine, so instants
 * are shifted on their way into the table and back.
 */
import type { PGlite } from '@electric-sql/pglite';
import type { Pool } from 'pg';
import type { Context } from '../services/context.ts';

interface Result {
  readonly rows: Record<string, unknown>[];
  readonly rowCount: number | null;
}

type Query = (sql: string, parameters?: readonly unknown[]) => Promise<Result>;

export interface AgendaPool {
  /** As much of a pool as Agenda's backend uses. */
  readonly pool: Pool;
  readonly query: Query;
  close(): Promise<void>;
}

/** Most connections of one worker for Agenda. */
const CONNECTIONS = 3;

export function openAgendaPool(context: Pick<Context, 'db' | 'clock' | 'log'>): AgendaPool {
  const { lite, openPool } = context.db;
  const { send, close } = openPool === undefined ? openEmbedded(lite as PGlite) : openPostgres(context, openPool);
  const query = onSharedClock(context, send);
  const client = { query, release: () => undefined };
  return { pool: { query, connect: async () => client } as unknown as Pool, query, close };
}

function openPostgres(
  { log }: Pick<Context, 'log'>,
  openPool: (size: number) => Pool,
): { send: Query; close(): Promise<void> } {
  const pool = openPool(CONNECTIONS);
  pool.on('error', (error) => log.warn({ err: error }, 'an idle connection of Agenda was lost'));
  const send: Query = async (sql, parameters = []) => {
    const answer = await pool.query<Record<string, unknown>>(sql, [...parameters]);
    // A script of several statements, such as Agenda's schema, is answered with one result for each.
    return [answer].flat().at(-1) ?? answer;
  };
  return { send, close: () => pool.end() };
}

/**
 * PostgreSQL's type OIDs of timestamp and timestamptz: Agenda needs them as Date, the service's own queries as text.
 */
const AS_DATE = { 1114: (text: string) => new Date(`${text}Z`), 1184: (text: string) => new Date(text) };

/** All statements use the single connection of this process, so never await Agenda inside a transaction. */
function openEmbedded(lite: PGlite): { send: Query; close(): Promise<void> } {
  const send: Query = async (sql, parameters = []) => {
    // Agenda's schema consists of scripts with several statements, which only exec() accepts.
    const [result] =
      parameters.length === 0
        ? (await lite.exec(sql, { parsers: AS_DATE })).slice(-1)
        : [await lite.query<Record<string, unknown>>(sql, [...parameters], { parsers: AS_DATE })];
    const rows = result?.rows ?? [];
    return { rows, rowCount: rows.length || (result?.affectedRows ?? 0) };
  };
  return { send, close: async () => undefined };
}

function onSharedClock({ clock }: Pick<Context, 'clock'>, send: Query): Query {
  const shift = (value: unknown, byMs: number) => (value instanceof Date ? new Date(value.getTime() + byMs) : value);
  return async (sql, parameters = []) => {
    // Agenda reads the machine's clock too.
    const aheadMs = clock.now().getTime() - new Date().getTime();
    const { rows, rowCount } = await send(
      sql,
      parameters.map((value) => shift(value, aheadMs)),
    );
    const shifted = rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([column, value]) => [column, shift(value, -aheadMs)])),
    );
    return { rows: shifted, rowCount };
  };
}
