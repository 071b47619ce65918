/**
 * Writes the types of the API as TypeScript without imports, from the schemas of the operations and events. They are what
 * `client/api-types.ts` infers, and have the descriptions of the fields besides. Pure.
 */
import { z } from 'zod';
import { EVENT_NAMES } from '../entities/event.ts';
import { operations } from '../routers/operations.ts';
import { errorSchema } from '../server/openapi-answers.ts';
import { EVENTS } from '../services/events/event-payloads.ts';

/** The keywords of JSON Schema that change a type. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** The text of `api-types.ts` in the package. */
export function clientTypes(): string {
  return [
    '/** The types of the API. Generated from the service by `npm run build:client`. */',
    table('Inputs', 'What a call takes', ({ input }) => schemaOf(input, 'input')),
    table('Outputs', 'What a call answers', ({ output }) => schemaOf(output, 'output')),
    table('Kinds', 'Whether an operation reads or changes', ({ procedure }) => ({ const: procedure._def.type })),
    `/** The fields of each event besides those that all have. */\nexport interface EventPayloads ${eventsType()}`,
    `/** The body of an error, the same on every interface. */\nexport interface ErrorBody ${typeOf(errorSchema() as Schema, {})}`,
    "/** Code of an error. */\nexport type ErrorCode = ErrorBody['error'];",
    '',
  ].join('\n\n');
}

type Operation = (typeof operations)[number];

/** An interface with an entry for each operation, by resource. */
function table(name: string, what: string, schema: (operation: Operation) => Schema): string {
  const resources = Map.groupBy(operations, (operation) => operation.name.split('.')[0] ?? '');
  const properties = [...resources].map(([resource, found]) => {
    const entries = found.map((operation) => {
      const type = schema(operation);
      const comment = doc(operation.meta.openapi.summary);
      return `${comment}${operation.name.split('.')[1]}: ${typeOf(type, type.$defs ?? {})};`;
    });
    return `${resource}: {\n${entries.join('\n')}\n};`;
  });
  return `/** ${what}, by resource and operation. */\nexport interface ${name} {\n${properties.join('\n')}\n}`;
}

function eventsType(): string {
  const properties = EVENT_NAMES.map((name) => {
    const schema = schemaOf(EVENTS[name].payload, 'output');
    return `${doc(EVENTS[name].summary)}'${name}': ${typeOf(schema, schema.$defs ?? {})};`;
  });
  return `{\n${properties.join('\n')}\n}`;
}

// Types that only code can check, such as a URL, are text in the schema too.
function schemaOf(type: z.ZodType, io: 'input' | 'output'): Schema {
  return z.toJSONSchema(type, { io, unrepresentable: 'any' }) as Schema;
}

type Definitions = Readonly<Record<string, Schema>>;

function typeOf(schema: Schema, definitions: Definitions): string {
  if (schema.$ref !== undefined) return referenced(schema.$ref, definitions);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts !== undefined) return union(parts.map((part) => typeOf(part, definitions)));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, definitions)));
  switch (schema.type) {
    case 'object':
      return objectType(schema, definitions);
    case 'array':
      return `${union([typeOf(schema.items ?? {}, definitions)], true)}[]`;
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      return 'unknown';
  }
}

/** Definitions are written where they are used, because no two operations need to share a name. */
function referenced(reference: string, definitions: Definitions): string {
  const name = reference.replace('#/$defs/', '');
  const found = definitions[name];
  if (found === undefined) throw new Error(`the schema has no definition ${reference}`);
  const { [name]: _open, ...others } = definitions;
  return typeOf(found, others);
}

function objectType(schema: Schema, definitions: Definitions): string {
  const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
  const names = Object.keys(properties);
  if (names.length === 0 && typeof additionalProperties === 'object') {
    const key = propertyNames?.enum === undefined ? 'string' : typeOf(propertyNames, definitions);
    const value = typeOf(additionalProperties, definitions);
    // A record of every name in an enumeration requires each of them.
    return required.length > 0 || key === 'string' ? `Record<${key}, ${value}>` : `Partial<Record<${key}, ${value}>>`;
  }
  const fields = names.map((name) => {
    const field = properties[name] ?? {};
    const type = typeOf(field, definitions);
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const isRequired = required.includes(name);
    return `${doc(field.description)}${key}${isRequired ? '' : '?'}: ${isRequired ? type : union([type, 'undefined'])};`;
  });
  return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('\n')}\n}`;
}

/** @param isItem whether an array of it follows, so that a union needs parentheses */
function union(types: readonly string[], isItem = false): string {
  const text = [...new Set(types)].join(' | ');
  return isItem && / \| /.test(text) ? `(${text})` : text;
}

function doc(text: string | undefined): string {
  return text === undefined ? '' : `/** ${text.replaceAll('*/', '*\\/')} */\n`;
}
