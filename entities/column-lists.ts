/** Columns of tables in hand-written statements: one declaration gives the SQL text and the type of the row. */
import { COLUMN_TYPES, quoted, type SqlType, type Typed } from './sql-types.ts';
import type { Given, Tables } from './tables.ts';

export type TableName = keyof Tables;

/** The type of one column. */
export type Column<Table extends TableName, Name extends keyof Tables[Table]> = Typed<
  Tables[Table][Name],
  Given[Table][Name & keyof Given[Table]]
>;

/** A list of columns of one table. */
export interface Columns<Table extends TableName, Name extends keyof Tables[Table]> {
  /** For `select` and `returning`: `p.id, p.text`. */
  readonly sql: string;
  /** For the list of an `insert`: `id, text`. */
  readonly names: string;
  /** For the `result` of a statement. */
  readonly types: { readonly [Each in Name]: Column<Table, Each> };
}

/** The type of a column, for a parameter or a column of a result. */
export function column<Table extends TableName, Name extends keyof Tables[Table] & string>(
  table: Table,
  name: Name,
): Column<Table, Name> {
  const type: SqlType | undefined = COLUMN_TYPES.get(table)?.get(name);
  if (type === undefined) throw new Error(`the table ${table} has no column ${name}`);
  return { type };
}

/** @param alias of the table in the statement */
export function columns<Table extends TableName, const Name extends keyof Tables[Table] & string>(
  table: Table,
  names: readonly Name[],
  alias: string = table,
): Columns<Table, Name> {
  return {
    sql: names.map((name) => `${alias}.${quoted(name)}`).join(', '),
    names: names.map(quoted).join(', '),
    types: Object.fromEntries(names.map((name) => [name, column(table, name)])) as Columns<Table, Name>['types'],
  };
}
