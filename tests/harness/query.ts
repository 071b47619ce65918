/** Runs SQL for tests, which read and change rows in ways that the product does not. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { CompiledQuery } from 'kysely';

/** Runs one statement with bound parameters, `$1`, `$2`, …. The rows are not checked. */
export async function query<Row>(
  em: SqlEntityManager,
  sql: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  const result = await em.getKysely().executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]));
  return result.rows;
}
