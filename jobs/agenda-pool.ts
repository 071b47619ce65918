/** Adapts the embedded database to the PostgreSQL pool that Agenda expects. */
import type { PGlite } from '@electric-sql/pglite';
import type { Pool } from 'pg';

/**
 * PostgreSQL's type OIDs of timestamp and timestamptz: Agenda needs them as Date, the service's own queries as text.
 */
const AS_DATE = { 1114: (text: string) => new Date(`${text}Z`), 1184: (text: string) => new Date(text) };

/** All statements of Agenda use the single connection of this process, so never await them inside a transaction. */
export function agendaPoolOn(lite: PGlite): Pool {
  const query = async (sql: string, parameters: unknown[] = []) => {
    if (parameters.length === 0) {
      // Agenda's schema consists of scripts with several statements, which only exec() accepts.
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
