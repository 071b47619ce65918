/**
 * The schemas of an operation as tools/list shows them. They are self-contained (clients differ in
 * what they make of `$ref`) and only shown: the operation itself validates, so that a wrong argument
 * is answered in our words and not in the SDK's.
 */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z, type ZodType } from 'zod';

type JsonSchema = Record<string, unknown>;

/**
 * @param tool name of the tool
 * @param explained the arguments that the tools before have explained, by their schema, and the tool that did: the
 *   same argument then refers to it, and new ones are added
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
  const key = `${name} ${JSON.stringify(argument)}`;
  const before = explained.get(key);
  if (before === undefined) explained.set(key, tool);
  const isShort = String(argument['description']).length < REFERRED_FROM;
  return before === undefined || isShort ? argument : { ...outline(argument), description: `As in ${before}.` };
}

/** What the other tool says in full: here only which types there are. */
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
 * A union has no type of its own at its root, and the protocol wants an object there.
 *
 * @param known names of the shapes that the tools before have shown: those are not shown again, and new ones are added
 */
export function outputSchema(output: ZodType, known: ShownShapes = new Map()): StandardSchemaWithJSON {
  const json = z.toJSONSchema(output, { io: 'output' }) as JsonSchema;
  return shown({ type: 'object', ...withRequired(plain(json, { closed: false, known }), json) });
}

/** Puts back, at the root and in its alternatives only, which fields there always are. */
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

/** A schema that accepts everything and shows what it is given. */
function shown(json: JsonSchema): StandardSchemaWithJSON {
  const jsonSchema = { input: () => json, output: () => json };
  return { '~standard': { version: 1, vendor: 'carillon', validate: (value) => ({ value }), jsonSchema } };
}

/** Shapes by their reference, and the fields of each as JSON. */
export type ShownShapes = Map<string, ReadonlySet<string>>;

interface PlainOptions {
  /**
   * Whether it is for arguments. Answers do not say that they have no other fields, since a client may hold
   * an older list, nor describe what their names tell, nor list values, nor repeat that they give every field, nor what a
   * field is that may be null: the list must stay small.
   */
  readonly closed: boolean;
  /** Shapes of answers that have been shown already, with their fields. */
  readonly known?: ShownShapes;
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
  const resolved = newFields(node as JsonSchema, resolve(node as JsonSchema, definitions), options);
  if (!options.closed && isNullable(resolved)) return shallow(resolved, definitions);
  const only = options.closed ? withoutIdleNull(resolved) : null;
  if (only !== null) return simplify(only, definitions, options);
  const entries = Object.entries(resolved).flatMap(([key, value]) => {
    if (isNoise(key, value, options)) return [];
    return [
      [
        key,
        key === 'properties' ? simplifyEach(value, definitions, options) : simplify(value, definitions, options),
      ] as const,
    ];
  });
  return spellOutTypes(Object.fromEntries(entries));
}

/** The fields of an object: their names are not keywords, whatever they are called. */
function simplifyEach(fields: unknown, definitions: Record<string, JsonSchema>, options: PlainOptions): unknown {
  const entries = Object.entries(fields as JsonSchema).map(([name, field]) => [
    name,
    simplify(field, definitions, options),
  ]);
  return Object.fromEntries(entries);
}

/** Whether it is a shape that was shown before. */
function isKnown({ $ref }: JsonSchema, { known }: PlainOptions): boolean {
  if (typeof $ref !== 'string' || known === undefined) return false;
  return known.has($ref);
}

/** A named shape without the fields of one that was shown before, if it has all of them; from now on it counts as shown. */
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

/** An argument for which null means that it is left out, without that null; null for any other. What null does is described. */
function withoutIdleNull(node: JsonSchema): JsonSchema | null {
  if (!isNullable(node) || /\bnull\b/.test(String(node['description']))) return null;
  const { anyOf, type, ...rest } = node;
  const all = Array.isArray(type) ? (type as unknown[]).map((name) => ({ type: name })) : (anyOf as JsonSchema[]);
  const [only, ...others] = all.filter((one) => one.type !== 'null');
  return only === undefined || others.length > 0 ? null : { ...only, ...rest };
}

/** The types of a field that may be null, without what is inside. */
function shallow({ type, anyOf = [] }: JsonSchema, definitions: Record<string, JsonSchema>): JsonSchema {
  const alternatives = (anyOf as JsonSchema[]).map((one) => resolve(one, definitions)['type']);
  const types = Array.isArray(type) ? (type as unknown[]) : alternatives;
  return { anyOf: types.map((name) => ({ type: name })) };
}

/** What an argument has to keep to, and an answer keeps to anyway. */
const BOUNDS = ['format', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];

/** Bounds that every safe integer has; in answers also all others, the promise that there will be no new fields, and descriptions. */
function isNoise(key: string, value: unknown, { closed }: PlainOptions): boolean {
  if (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) return true;
  if (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) return true;
  // Texts are far shorter than these, ids are taken from answers, and a refusal names what is wrong.
  if (key === 'maxLength' || (key === 'format' && value === 'uuid')) return true;
  // Every text that may be left out is left out rather than empty, and the answer says so to who does not.
  if (key === 'minLength' && value === 1) return true;
  // Ids of platforms are many, and listed where the platforms are.
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
