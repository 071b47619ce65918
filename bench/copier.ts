/**
 * Builds inserts that follow the schema automatically: every column comes from a row that the service wrote, except the
 * given ones.
 */

type Query = <Row>(sql: string, parameters: unknown[]) => Promise<Row[]>;

/** An INSERT and its parameters. */
export interface Insert {
  readonly sql: string;
  readonly parameters: (string | null)[];
}

/** Builds the INSERT of a copy with `values` instead of the model row's; parameters are numbered from `after` + 1. */
export type Copier = (values: Readonly<Record<string, string | null>>, after?: number) => Insert;

/**
 * Reads the model row, once.
 *
 * @param condition SQL that finds it, given `parameter` as $1
 * @throws Error when no row matches
 */
export async function copier(query: Query, table: string, condition: string, parameter: string): Promise<Copier> {
  const columns = await query<{ name: string; type: string }>(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type from pg_attribute a
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum`,
    [table],
  );
  const asText = columns.map(({ name }) => `"${name}"::text`).join(', ');
  const [model] = await query<Record<string, string | null>>(
    `select ${asText} from ${table} where ${condition} limit 1`,
    [parameter],
  );
  if (model === undefined) throw new Error(`${table} has no row to copy`);
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const placeholders = (after: number) => columns.map(({ type }, index) => `$${after + index + 1}::${type}`).join(', ');
  const known = new Map<number, string>();
  return (values, after = 0) => {
    const sql = known.get(after) ?? `insert into ${table} (${names}) values (${placeholders(after)})`;
    known.set(after, sql);
    return {
      sql,
      parameters: columns.map(({ name }) => (Object.hasOwn(values, name) ? values[name] : model[name]) ?? null),
    };
  };
}
