/**
 * Types of the tables, computed from the entities, and typed queries. The columns have the names and the values that
 * the database returns: instants, dates and `bigint` are text on both engines.
 */
import type { InferKyselyTable } from '@mikro-orm/sql';
import type { ColumnType, Kysely, Selectable } from 'kysely';
import type { TableEntities } from './index.ts';
import type { Queries } from './statement.ts';

/** What the database returns for a value of an entity. */
type Stored<Value> = Value extends Date | bigint ? string : Value;

/** What it accepts for a value of an entity: an instant as a Date or as text, JSON as text. */
type Written<Value> = Value extends Date
  ? Date | string
  : Value extends bigint
    ? bigint | number | string
    : Value extends string | number | boolean | null | readonly string[]
      ? Value
      : string;

// An insert must name a column, unless it has a default or may be null.
type InferredColumn<Inferred> =
  Inferred extends ColumnType<infer Value, infer Insert, unknown>
    ? ColumnType<Stored<Value>, Written<Exclude<Insert, undefined>> | Extract<Insert, undefined>, Written<Value>>
    : never;

type ColumnOf<Inferred> =
  // Kysely marks the type of a column that has a default.
  [Inferred] extends [ColumnType<unknown, unknown, unknown>]
    ? InferredColumn<Inferred>
    : ColumnType<Stored<Inferred>, Written<Inferred>, Written<Inferred>>;

type GivenColumn<Value> = Value extends Date | bigint | string | number | boolean | null ? Written<Value> : Value;

type GivenOf<Inferred> = {
  [Name in keyof Inferred]: GivenColumn<
    [Inferred[Name]] extends [ColumnType<infer Value, unknown, unknown>] ? Value : Inferred[Name]
  >;
};

type ColumnsOf<Inferred> = { [Name in keyof Inferred]: ColumnOf<Inferred[Name]> };

/** Tables without an entity, with the columns that queries name: those of the rate limit. */
interface UnmappedTables {
  rate_limit_hits: { bucket: string; at: string };
  rate_limit_buckets: { bucket: string; last_at: string };
}

type MappedTables = { [Name in keyof TableEntities]: ColumnsOf<InferKyselyTable<TableEntities[Name]>> };

/** The tables as Kysely knows them, with the types to select, insert and update each column. */
export type Schema = MappedTables & UnmappedTables;

/** What a statement accepts for each column: as an update, with JSON as a value. */
export type Given = {
  [Name in keyof TableEntities]: GivenOf<InferKyselyTable<TableEntities[Name]>>;
};

/** The rows of each table as the database returns them. A query of some columns returns `Pick<Tables['posts'], …>`. */
export type Tables = { [Name in keyof MappedTables]: Selectable<MappedTables[Name]> };

/**
 * Builds typed queries, which run in the transaction of an entity manager or on any connection. Building one takes longer than preparing it,
 * so frequent queries are statements (statement.ts).
 */
export function tables(queries: Queries): Kysely<Schema> {
  return queries.getKysely<Schema>();
}
