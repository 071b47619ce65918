/** SQL types of the columns of all tables, and of what else hand-written statements take and return. */
import { types, UnderscoreNamingStrategy } from '@mikro-orm/core';
import type { Json } from '../platforms/contract.ts';
import { tableEntities } from './index.ts';

/** What the database returns for each type, on both engines. */
interface Returned {
  uuid: string;
  text: string;
  int: number;
  /** Too large for a number; cast to `int` or `float8` what is not. */
  bigint: string;
  float8: number;
  boolean: boolean;
  /** See services/timestamp.ts. */
  timestamptz: string;
  date: string;
  /** Id of a transaction. */
  xid8: string;
  tsvector: string;
  jsonb: Json;
}

/** What a parameter of each type accepts. */
interface Accepted extends Omit<Returned, 'bigint' | 'timestamptz'> {
  bigint: bigint | number | string;
  timestamptz: Date | string;
}

/** A type without array and nullability. */
export type ScalarType = keyof Returned;

/** `text` is not null, `text?` may be null, and `text[]` is an array. */
export type SqlType = ScalarType | `${ScalarType}[]` | `${ScalarType}?` | `${ScalarType}[]?`;

/** A type that TypeScript knows more about than SQL does: the union of an enum, the shape of a JSON value. */
export interface Typed<Value, Given = Value> {
  readonly type: SqlType;
  /** Never set: it carries the types. */
  readonly '~types'?: { readonly value: Value; readonly given: Given };
}

export type AnyType = SqlType | Typed<unknown>;

/** A value of the type, as the database returns it. */
export type ValueOf<Type> =
  Type extends Typed<infer Value, unknown> ? Value : Type extends SqlType ? Plain<Returned, Type> : never;

/** A value of the type, as a parameter accepts it. */
export type GivenOf<Type> =
  Type extends Typed<unknown, infer Given> ? Given : Type extends SqlType ? Plain<Accepted, Type> : never;

type Plain<Values extends Record<ScalarType, unknown>, Type extends string> = Type extends `${infer Inner}?`
  ? Plain<Values, Inner> | null
  : Type extends `${infer Inner extends ScalarType}[]`
    ? readonly Values[Inner][]
    : Type extends ScalarType
      ? Values[Type]
      : never;

/** States a narrower type than `type` has: `typed<'live' | 'test'>('text')`. */
export function typed<Value>(type: SqlType): Typed<Value> {
  return { type };
}

/** The same type, also null: for a column of an outer join, or a parameter that may be missing. */
export function orNull<Type extends AnyType>(type: Type): Typed<ValueOf<Type> | null, GivenOf<Type> | null> {
  return { type: `${sqlOf(type)}?` as SqlType };
}

/** The type without nullability, as SQL spells it. */
export function sqlOf(type: AnyType): string {
  return (typeof type === 'string' ? type : type.type).replace('?', '');
}

/** Reserved words of PostgreSQL that columns and parameters are called. */
const RESERVED = new Set(['all', 'default', 'desc', 'end', 'from', 'limit', 'offset', 'order', 'table', 'to', 'user']);

/** A name as SQL spells it: one with capitals, or one that is a reserved word, needs quotes. */
export function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name) ? name : `"${name}"`;
}

const SCALARS = new Map<unknown, ScalarType>([
  [types.uuid, 'uuid'],
  [types.string, 'text'],
  [types.text, 'text'],
  [types.integer, 'int'],
  [types.bigint, 'bigint'],
  [types.double, 'float8'],
  [types.boolean, 'boolean'],
  [types.datetime, 'timestamptz'],
  [types.date, 'date'],
  [types.json, 'jsonb'],
]);

/** What is read of a property of an entity. */
interface Property {
  readonly type?: object | (() => void);
  readonly columnType?: string;
  readonly fieldName?: string;
  readonly nullable?: boolean;
  readonly enum?: boolean;
  readonly kind?: string;
}

function typeOf(property: Property): SqlType {
  // The ORM keeps a class, or an instance when the type has options.
  const type = typeof property.type === 'object' ? property.type.constructor : property.type;
  // Relations are stored as the primary key, which is a UUID in every table that others refer to.
  const inferred = property.kind === 'm:1' ? 'uuid' : property.enum ? 'text' : SCALARS.get(type);
  const sqlType = property.columnType ?? (type === types.array ? 'text[]' : inferred);
  if (sqlType === undefined) throw new Error(`sql-types.ts has no SQL type for ${JSON.stringify(property)}`);
  return `${sqlType}${property.nullable ? '?' : ''}` as SqlType;
}

const naming = new UnderscoreNamingStrategy();

/** The type of each column, by table. Computed before the ORM starts, which rewrites the properties. */
export const COLUMN_TYPES: ReadonlyMap<string, ReadonlyMap<string, SqlType>> = new Map(
  Object.entries(tableEntities).map(([table, { meta }]) => [
    table,
    new Map(
      Object.entries(meta.properties as Record<string, Property>).map(([name, property]) => [
        property.fieldName ?? naming.propertyToColumnName(name),
        typeOf(property),
      ]),
    ),
  ]),
);
