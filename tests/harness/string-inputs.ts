/** Every string field that an operation reads, found in its schema, and inputs with one string replaced. */
import { z, type ZodType } from 'zod';
import type { Operation } from '../../routers/operations.ts';

/** A place in an input that holds a string. A number in the path is an array item, `*` any field name. */
export interface StringInput {
  readonly path: readonly (string | number)[];
  readonly schema: ZodType;
  readonly isNullable: boolean;
}

/** @returns the strings of the operation, in the order of its schema; a union gives those of all its members */
export function stringInputs({ input }: Operation): StringInput[] {
  return stringsOf(input, [], false);
}

function stringsOf(schema: ZodType, path: StringInput['path'], isNullable: boolean): StringInput[] {
  const inside = (inner: unknown, ...more: (string | number)[]) =>
    stringsOf(inner as ZodType, [...path, ...more], isNullable);
  if (schema instanceof z.ZodNullable) return stringsOf(schema.unwrap() as ZodType, path, true);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return inside(schema.unwrap());
  if (schema instanceof z.ZodPipe)
    return readsText(schema.in as ZodType) ? [{ path, schema, isNullable }] : inside(schema.in);
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, field]) => inside(field, name));
  if (schema instanceof z.ZodArray) return inside(schema.element, 0);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => inside(option));
  if (schema instanceof z.ZodRecord) return inside(schema.valueType, anyNameOf(schema));
  if (schema instanceof z.ZodNumber || schema instanceof z.ZodBoolean || schema instanceof z.ZodLiteral) return [];
  // A record's field without a schema may hold a string too.
  if (readsText(schema) || schema instanceof z.ZodUnknown) return [{ path, schema, isNullable }];
  if (schema instanceof z.ZodNull) return [];
  throw new Error(`${path.join('.')}: this walk does not know ${schema.constructor.name}`);
}

function readsText(schema: ZodType): boolean {
  if (schema instanceof z.ZodPipe) return readsText(schema.in as ZodType);
  return schema instanceof z.ZodString || schema instanceof z.ZodEnum || schema instanceof z.ZodStringFormat;
}

function anyNameOf(schema: z.ZodRecord): string {
  return schema.keyType instanceof z.ZodEnum ? String(schema.keyType.options[0]) : 'field';
}

/** An input whose only content is one value at one place, with the objects and arrays around it. */
export function inputWith(path: StringInput['path'], value: unknown): Record<string, unknown> {
  return path.reduceRight<unknown>(
    (inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }),
    value,
  ) as Record<string, unknown>;
}
