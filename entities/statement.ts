/**
 * Hand-written SQL, for paths where one round trip must do the work of many: claims, settlements, limits, fan-out.
 * Each statement has a name and one SQL text, made when its module loads, so that the driver prepares it once. A test
 * compares the parameters and the columns of every statement with the schema.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { CompiledQuery } from 'kysely';
import { type AnyType, type GivenOf, quoted, sqlOf, type ValueOf } from './sql-types.ts';

/** Types of columns or fields, by name. */
export type Types = Readonly<Record<string, AnyType>>;

/** Type of a parameter that holds rows, passed as one JSON value. */
export interface Records<Fields extends Types = Types> {
  readonly records: Fields;
}

type Parameters = Readonly<Record<string, AnyType | Records>>;

/** One of the rows: fields that may be null can be left out. */
type Given<Fields extends Types> = {
  readonly [Name in keyof Fields as null extends GivenOf<Fields[Name]> ? never : Name]: GivenOf<Fields[Name]>;
} & {
  readonly [Name in keyof Fields as null extends GivenOf<Fields[Name]> ? Name : never]?:
    | GivenOf<Fields[Name]>
    | undefined;
};

type ValueFor<Type> =
  Type extends Records<infer Fields> ? readonly Given<Fields>[] : Type extends AnyType ? GivenOf<Type> : never;

type Values<Declared extends Parameters> = { readonly [Name in keyof Declared]: ValueFor<Declared[Name]> };

/** A row with these columns. */
export type Row<Result extends Types> = { -readonly [Name in keyof Result]: ValueOf<Result[Name]> };

interface Definition<Declared extends Parameters, Result extends Types> {
  /** Types of the parameters, in any order. */
  readonly parameters?: Declared;
  /** Types of the columns that it returns, by their names; omitted when it returns none. */
  readonly result?: Result;
  /**
   * The text. It gets the placeholder of each parameter: `$1::uuid[]`, or for records
   * `jsonb_to_recordset($1::jsonb) as name(id uuid, …)`.
   */
  readonly sql: (given: { readonly [Name in keyof Declared]: string }) => string;
}

/** Where queries run: in the transaction of an entity manager if it has one, or on any connection (`db.queries`). */
export interface Queries extends Pick<SqlEntityManager, 'getKysely'> {
  /** Runs one statement without the query builder, outside of transactions. Absent where the query builder has to run it. */
  readonly run?: (sql: string, values: readonly unknown[]) => Promise<{ readonly rows: unknown[] }>;
}

/** Runs a statement whose columns the caller knows. */
export async function runSql<Found>(queries: Queries, sql: string, values: readonly unknown[]): Promise<Found[]> {
  const { rows } = await (queries.run === undefined
    ? queries.getKysely().executeQuery(CompiledQuery.raw(sql, [...values]))
    : queries.run(sql, values));
  return rows as Found[];
}

/** Runs the statement. */
export interface Statement<Declared extends Parameters, Result extends Types> {
  (queries: Queries, ...values: keyof Declared extends never ? [] : [Values<Declared>]): Promise<Row<Result>[]>;
}

/** The row that a statement returns. */
export type RowOf<Run> = Run extends Statement<infer _, infer Result> ? Row<Result> : never;

/** The rows that a parameter of a statement takes. */
export type RecordOf<Type extends Records> = Type extends Records<infer Fields> ? Given<Fields> : never;

/** What the test compares with the schema. */
export interface DefinedStatement {
  readonly name: string;
  readonly sql: string;
  /** SQL types, in the order of their numbers. */
  readonly parameters: readonly string[];
  readonly result: Types;
}

/** All statements of the modules that were loaded, by name. */
export const statements = new Map<string, DefinedStatement>();

/** Declares a parameter of rows. */
export function records<const Fields extends Types>(fields: Fields): Records<Fields> {
  return { records: fields };
}

/** @param name says what it does; a number of statements in a log or in the test are told apart by it */
export function statement<const Declared extends Parameters = {}, const Result extends Types = {}>(
  name: string,
  { parameters, result, sql }: Definition<Declared, Result>,
): Statement<Declared, Result> {
  const declared: [string, AnyType | Records][] = Object.entries(parameters ?? {});
  const references = declared.map(([parameter, type], index) => [parameter, reference(parameter, type, index + 1)]);
  const text = sql(Object.fromEntries(references) as { readonly [Name in keyof Declared]: string });
  if (statements.has(name)) throw new Error(`two statements have the name "${name}"`);
  const sqlTypes = declared.map(([, type]) => (isRecords(type) ? 'jsonb' : sqlOf(type)));
  statements.set(name, { name, sql: text, parameters: sqlTypes, result: result ?? {} });
  return (queries, ...[values]) => {
    const passed = declared.map(([parameter, type]) => passedAs(type, (values as Record<string, unknown>)[parameter]));
    return runSql<Row<Result>>(queries, text, passed);
  };
}

/**
 * A parameter, given as its placeholder, whose value PostgreSQL does not see while it plans. It keeps one plan of a statement only if a
 * plan for the values at hand promises no lower cost; fewer array elements than ten, or a rare value, always do
 * (docs/decisions/0123-plan-the-statements-of-ordinary-requests-once.md).
 */
export function unseenByPlanner(placeholder: string): string {
  return `(select ${placeholder})${placeholder.slice(placeholder.indexOf('::'))}`;
}

function reference(name: string, type: AnyType | Records, number: number): string {
  if (!isRecords(type)) return `$${number}::${sqlOf(type)}`;
  const fields = Object.entries(type.records).map(([field, fieldType]) => `${quoted(field)} ${sqlOf(fieldType)}`);
  return `jsonb_to_recordset($${number}::jsonb) as ${quoted(name)}(${fields.join(', ')})`;
}

function passedAs(type: AnyType | Records, value: unknown): unknown {
  if (isRecords(type)) return JSON.stringify(value);
  return sqlOf(type) === 'jsonb' && value !== null ? JSON.stringify(value) : value;
}

function isRecords(type: AnyType | Records): type is Records {
  return typeof type === 'object' && 'records' in type;
}
