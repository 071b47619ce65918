/** A list as one parameter of a typed query, so that the query has one text however long the list is. */
import { type RawBuilder, sql } from 'kysely';

/** For the right side of `=`: `where('id', '=', anyOf(ids))`. An empty list matches nothing. */
export function anyOf<Value extends string>(
  values: readonly Value[],
  type: 'uuid' | 'text' = 'uuid',
): RawBuilder<Value> {
  return sql<Value>`any(${sql.val([...values])}::${sql.raw(type)}[])`;
}
