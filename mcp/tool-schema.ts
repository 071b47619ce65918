/**
 * The schemas of an operation as tools/list shows them. They are self-contained, because clients differ in their
 * support of `$ref`. They are only shown: the operation itself validates, so that a wrong argument gets our error
 * message and not the SDK's.
 */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z, type ZodType } from 'zod';

type JsonSchema = Record<string, unknown>;

/**
 * @param tool name of the tool
 * @param explained the arguments that earlier tools explained, by their schema, with the name of that tool: the same
 *   argument then refers to it, and new ones are added
 */
export function inputSchema(
  input: ZodType,
  tool: string,
  explained: Map<string, string> = new Map(),
): StandardSchemaWithJSON {
  const schema = plain(z.toJSONSchema(input, { io: 'input' }));
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).map(
    ([name, argument]) => [name, explainedOnce(name, argument, tool, explained)] as const,
  );
  return shown({ ...schema, properties: Object.fromEntries(properties) });
}

/** Explanations shorter than this are not worth a reference. */
const REFERRED_FROM = 40;

function explainedOnce(name: string, argument: JsonSchema, tool: string, explained: Map<string, string>): JsonSchema {
  // Sorted, because equal arguments can have their keywords in another order.
  const key = `${name} ${JSON.stringify(Object.entries(argument).toSorted(([a], [b]) => a.localeCompare(b)))}`;
  const before = explained.get(key);
  if (before === undefined) explained.set(key, tool);
  const isShort = String(argument['description']).length < REFERRED_FROM;
  return before === undefined || isShort ? argument : { ...outline(argument), description: `See ${before}.` };
}

/** A short form of an argument that another tool describes in full: only its types. */
function outline(node: JsonSchema): JsonSchema {
  const entries = Object.entries(node).flatMap(([key, value]) => {
    if (['description', 'default', 'enum', ...BOUNDS].includes(key)) return [];
    if (key === 'properties') return [[key, outlineEach(value as Record<string, JsonSchema>)]];
    return [[key, key === 'items' ? outline(value as JsonSchema) : value]];
  });
  return Object.fromEntries(entries);
}

function outlineEach(fields: Record<string, JsonSchema>): JsonSchema {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, outline(field)]));
}

/**
 * A union has no type at its root, and the protocol requires an object there.
 *
 * @param known names of the shapes that earlier tools showed: those are not shown again, and new ones are added
 */
export function outputSchema(output: ZodType, known: ShownShapes = new Map()): StandardSchemaWithJSON {
  const json = z.toJSONSchema(output, { io: 'output' }) as JsonSchema;
  return shown({ type: 'object', ...withRequired(plain(json, { closed: false, known }), json) });
}

/** Restores the list of required fields, at the root and in its alternatives only. */
function withRequired(schema: JsonSchema, { required, anyOf }: JsonSchema): JsonSchema {
  const alternatives = schema['anyOf'] as JsonSchema[] | undefined;
  return {
    ...schema,
    ...(required === undefined ? {} : { required }),
    ...(alternatives === undefined
      ? {}
      : { anyOf: alternatives.map((one, index) => withRequired(one, (anyOf as JsonSchema[])[index] ?? {})) }),
  };
}

/** A schema that accepts everything and shows the given JSON. */
function shown(json: JsonSchema): StandardSchemaWithJSON {
  const jsonSchema = { input: () => json, output: () => json };
  return { '~standard': { version: 1, vendor: 'carillon', validate: (value) => ({ value }), jsonSchema } };
}

/** Shapes by their reference, and the fields of each as JSON. */
export type ShownShapes = Map<string, ReadonlySet<string>>;

interface PlainOptions {
  /**
   * Whether the schema is for arguments. To keep the list small, schemas of answers leave out descriptions, listed
   * values, fields that only some answers have, fields deeper than two levels, the list of required fields and the types
   * of nullable fields. They also allow other fields, because a client may hold an older list.
   */
  readonly closed: boolean;
  /** Shapes of answers that have already been shown, with their fields. */
  readonly known?: ShownShapes;
  /** How many objects the schema is inside of. */
  readonly depth?: number;
}

/** The same schema without references, without `$schema` and in the forms that most clients read. */
function plain(schema: object, options: PlainOptions = { closed: true }): JsonSchema {
  const { $schema: _dialect, $defs = {}, ...root } = schema as { $schema?: string; $defs?: Record<string, JsonSchema> };
  return simplify(root, $defs, options) as JsonSchema;
}

function simplify(node: unknown, definitions: Record<string, JsonSchema>, options: PlainOptions): unknown {
  if (Array.isArray(node)) return node.map((item) => simplify(item, definitions, options));
  if (typeof node !== 'object' || node === null) return node;
  if (isKnown(node as JsonSchema, options)) return { type: 'object' };
  const shape = newFields(node as JsonSchema, resolve(node as JsonSchema, definitions), options);
  const resolved = options.closed ? describedOnce(shape) : shape;
  if (!options.closed && isNullable(resolved)) return shallow(resolved, definitions);
  const only = options.closed ? withoutIdleNull(resolved) : null;
  if (only !== null) return simplify(only, definitions, options);
  const entries = Object.entries(resolved).flatMap(([key, value]) => {
    if (isNoise(key, value, options) || (key === 'properties' && isDeep(options))) return [];
    return [
      [
        key,
        key === 'properties'
          ? simplifyEach(listed(resolved, options), definitions, options)
          : simplify(value, definitions, options),
      ] as const,
    ];
  });
  return spellOutTypes(Object.fromEntries(entries));
}

/** Levels of fields that are shown of an answer. */
const LEVELS_MAX = 2;

function isDeep({ closed, depth = 0 }: PlainOptions): boolean {
  return !closed && depth >= LEVELS_MAX;
}

/** The fields that are shown: of an answer, those that it always has. */
function listed({ properties = {}, required = [] }: JsonSchema, { closed }: PlainOptions): JsonSchema {
  if (closed) return properties as JsonSchema;
  const always = new Set(required as string[]);
  return Object.fromEntries(Object.entries(properties as JsonSchema).filter(([name]) => always.has(name)));
}

/** Simplifies the fields of an object. Field names are not keywords, even when they look like one. */
function simplifyEach(fields: unknown, definitions: Record<string, JsonSchema>, options: PlainOptions): unknown {
  const inside = { ...options, depth: (options.depth ?? 0) + 1 };
  const entries = Object.entries(fields as JsonSchema).map(([name, field]) => [
    name,
    simplify(field, definitions, inside),
  ]);
  return Object.fromEntries(entries);
}

/** Whether the shape was shown before. */
function isKnown({ $ref }: JsonSchema, { known }: PlainOptions): boolean {
  if (typeof $ref !== 'string' || known === undefined) return false;
  return known.has($ref);
}

/** A named shape without the fields of an earlier shape, if it has all of them. Records the shape as shown. */
function newFields({ $ref }: JsonSchema, shape: JsonSchema, { known }: PlainOptions): JsonSchema {
  if (typeof $ref !== 'string' || known === undefined) return shape;
  const fields = Object.entries((shape['properties'] ?? {}) as JsonSchema);
  const shown = new Set(fields.map((field) => JSON.stringify(field)));
  const before = [...known.values()].find((one) => one.size > 0 && one.isSubsetOf(shown));
  known.set($ref, shown);
  if (before === undefined) return shape;
  return { ...shape, properties: Object.fromEntries(fields.filter((field) => !before.has(JSON.stringify(field)))) };
}

function resolve(node: JsonSchema, definitions: Record<string, JsonSchema>): JsonSchema {
  const { $ref, ...own } = node;
  return typeof $ref === 'string' ? { ...definitions[$ref.replace('#/$defs/', '')], ...own } : node;
}

/** A field that may be null. */
function isNullable({ type, anyOf }: JsonSchema): boolean {
  if (Array.isArray(type)) return type.includes('null');
  return Array.isArray(anyOf) && anyOf.some((one: JsonSchema) => one['type'] === 'null');
}

/**
 * Removes null from an argument in which null means the same as leaving it out. Gives null for any other argument; the
 * effect of its null is described.
 */
function withoutIdleNull(node: JsonSchema): JsonSchema | null {
  if (!isNullable(node) || /\bnull\b/.test(String(node['description']))) return null;
  const { anyOf, type, ...rest } = node;
  const all = Array.isArray(type) ? (type as unknown[]).map((name) => ({ type: name })) : (anyOf as JsonSchema[]);
  const [only, ...others] = all.filter((one) => one.type !== 'null');
  return only === undefined || others.length > 0 ? null : { ...only, ...rest };
}

/** A nullable argument says what it and its null mean; what it says without null is left out. */
function describedOnce(node: JsonSchema): JsonSchema {
  const { anyOf, description } = node;
  if (description === undefined || !Array.isArray(anyOf) || anyOf.length !== 2 || !isNullable(node)) return node;
  return { ...node, anyOf: (anyOf as JsonSchema[]).map(({ description: _inner, ...one }) => one) };
}

/** The types of a nullable field, without its content. */
function shallow({ type, anyOf = [] }: JsonSchema, definitions: Record<string, JsonSchema>): JsonSchema {
  const alternatives = (anyOf as JsonSchema[]).map((one) => resolve(one, definitions)['type']);
  const types = Array.isArray(type) ? (type as unknown[]) : alternatives;
  return { anyOf: types.map((name) => ({ type: name })) };
}

/** Bounds that arguments must satisfy and that answers always satisfy. */
const BOUNDS = ['format', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];

/**
 * Keywords to leave out: the bounds of every safe integer, and in answers also all other bounds, `additionalProperties`
 * and descriptions.
 */
function isNoise(key: string, value: unknown, { closed }: PlainOptions): boolean {
  if (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) return true;
  if (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) return true;
  // Texts are usually far shorter, ids come from answers, and an error names the invalid argument.
  if (key === 'maxLength' || (key === 'format' && value === 'uuid')) return true;
  // An optional text should be left out instead of being empty; the error for an empty one says so.
  if (key === 'minLength' && value === 1) return true;
  // The list of platforms names the ids of all platforms.
  if (key === 'propertyNames') return true;
  if (closed) return false;
  return (
    key === 'description' ||
    key === 'enum' ||
    key === 'required' ||
    BOUNDS.includes(key) ||
    (key === 'additionalProperties' && value === false)
  );
}

/** Not every client reads a list of types. */
function spellOutTypes(schema: JsonSchema): JsonSchema {
  const { type, ...rest } = schema;
  return Array.isArray(type) ? { anyOf: type.map((name: string) => ({ type: name })), ...rest } : schema;
}
