/** Answers are sent as operations return them: in production nothing validates them (routers/trust-outputs.ts). */
import { describe, expect, it } from 'vitest';
import { z, type ZodType } from 'zod';
import { operations } from '../../routers/operations.ts';

/** Kinds of schemas that return another value than they were given. */
const CHANGING = new Set(['pipe', 'transform', 'default', 'prefault', 'catch', 'codec']);

/** The parts of a schema's definition that this test reads. */
interface Definition {
  readonly type: string;
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly check: string } } }[];
  readonly catchall?: ZodType;
  readonly [name: string]: unknown;
}

function definitionOf(schema: ZodType): Definition {
  return schema._zod.def as unknown as Definition;
}

/** All schemas inside of one, with it, by their path. */
function schemasIn(schema: ZodType, path: string, seen = new Set<ZodType>()): [string, ZodType][] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const definition = definitionOf(schema);
  const fields = schema instanceof z.ZodObject ? Object.entries(schema.shape as Record<string, ZodType>) : [];
  const lists = [definition['options'], definition['items']].flatMap((list) => (Array.isArray(list) ? list : []));
  const single = ['element', 'innerType', 'valueType', 'in', 'out', 'left', 'right'].map((name) => definition[name]);
  const inner = [...lists, ...single].filter((one): one is ZodType => one instanceof z.ZodType);
  return [
    [path, schema],
    ...fields.flatMap(([name, field]) => schemasIn(field, `${path}.${name}`, seen)),
    ...inner.flatMap((one) => schemasIn(one, path, seen)),
  ];
}

/** Why validation with a schema returns another value; undefined when it does not. */
function changeOf(schema: ZodType): string | undefined {
  const definition = definitionOf(schema);
  if (CHANGING.has(definition.type)) return definition.type;
  if (definition.checks?.some(({ _zod }) => _zod.def.check === 'overwrite')) return 'overwrite';
  // An object without a rule for other fields removes them.
  return definition.type === 'object' && definition.catchall === undefined ? 'removes fields' : undefined;
}

describe('the answers of operations', () => {
  it('are the same with and without validation, so that it can be left out', () => {
    const changing = operations.flatMap(({ name, output }) =>
      schemasIn(output, name).flatMap(([path, schema]) => {
        const change = changeOf(schema);
        return change === undefined ? [] : [`${path}: ${change}`];
      }),
    );

    expect(changing).toEqual([]);
  });

  it('finds a schema that changes answers', () => {
    const output = z.strictObject({ list: z.array(z.object({ name: z.string().trim().default('') })) });

    const changes = schemasIn(output, 'x').map(([path, schema]) => [path, changeOf(schema)]);

    expect(changes).toEqual([
      ['x', undefined],
      ['x.list', undefined],
      ['x.list', 'removes fields'],
      ['x.list.name', 'default'],
      ['x.list.name', 'overwrite'],
    ]);
  });
});
