/** Lets Agenda work on the embedded database as if it were a PostgreSQL pool. */
import type { PGlite } from '@electric-sql/pglite';
import type { Pool } from 'pg';

/** PostgreSQL's type numbers of timestamp and timestamptz: Agenda needs them as Date, our own queries as text. */
const AS_DATE = { 1114: (text: string) => new Date(`${text}Z`), 1184: (text: string) => new Date(text) };

/**
 * Everything Agenda does goes through the same single connection as the rest of the process, so it
 * must never be awaited inside a transaction.
 */
export function agendaPoolOn(lite: PGlite): Pool {
  const query = async (sql: string, parameters: unknown[] = []) => {
    if (parameters.length === 0) {
      // Agenda's schema comes as scripts of several statements, which only exec() takes.
      const results = await lite.exec(sql, { parsers: AS_DATE });
      const last = results.at(-1);
      return { rows: last?.rows ?? [], rowCount: last?.affectedRows ?? last?.rows.length ?? 0 };
    }
    const result = await lite.query(sql, parameters, { parsers: AS_DATE });
    return { rows: result.rows, rowCount: result.rows.length || (result.affectedRows ?? 0) };
  };
  const client = { query, release: () => undefined, on: () => client };
  return { query, connect: async () => client } as unknown as Pool;
}
