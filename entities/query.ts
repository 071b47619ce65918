/** Runs hand-written SQL, for paths where one round trip must do the work of many (claims, settlements, limits). */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { CompiledQuery } from 'kysely';

/**
 * Runs one statement with bound parameters (`$1`, `$2`, …) in the entity manager's transaction, if it has one.
 * Depending on the engine, instants are returned as text or as Date, and `bigint` as text: select `extract(epoch …)` or
 * cast to `int` if the value is used.
 */
export async function query<Row>(
  em: SqlEntityManager,
  sql: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  const result = await em.getKysely().executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]));
  return result.rows;
}
