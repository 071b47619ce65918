/** A list as one parameter of a typed query, so that the query has one text however long the list is. */
import { type RawBuilder, sql } from 'kysely';

/** For the right side of `=`: `where('id', '=', anyOf(ids))`. An empty list matches nothing. */
export function anyOf<Value extends string>(
  values: readonly Value[],
  type: 'uuid' | 'text' = 'uuid',
): RawBuilder<Value> {
  return sql<Value>`any(${sql.val([...values])}::${sql.raw(type)}[])`;
}

/**
 * The owner of the rows of a list: `where('account_id', '=', ownerOfList(id))`, ordered by `account_id` and `id`. PostgreSQL drops a column
 * from the order that equals one value, and could then read along the primary key, past the rows of all other owners
 * (docs/decisions/0126-order-lists-by-their-owner-too.md).
 */
export function ownerOfList(id: string): RawBuilder<string> {
  return anyOf([id]);
}
