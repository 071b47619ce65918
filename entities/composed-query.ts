/**
 * Runs SQL that is composed for one request, with declared columns. Only the list of posts and its search need it:
 * PostgreSQL plans each combination of their filters well only if the text has no other conditions. Everything else is a
 * statement (statement.ts) or a typed query (tables.ts).
 */
import { type Queries, type Row, runSql, type Types } from './statement.ts';

/** SQL with a value for each `$1`, `$2`, …. */
export interface ComposedQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** @param result types of the columns that the query returns, by their names */
export async function composedQuery<Result extends Types>(
  queries: Queries,
  result: Result,
  { sql, parameters }: ComposedQuery,
): Promise<Row<Result>[]> {
  const rows = await runSql<Row<Result>>(queries, sql, parameters);
  const [first] = rows;
  const missing = first === undefined ? undefined : Object.keys(result).find((name) => !(name in Object(first)));
  if (missing !== undefined) throw new Error(`the composed query returns no column ${missing}`);
  return rows;
}
