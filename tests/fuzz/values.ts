/** Values made from JSON schemas: valid ones, boundary values, and invalid ones. All of them follow from the seed. */
import { sample, stringMatching } from 'fast-check';
import { apiDocument } from '../harness/api-document.ts';
import type { Sampler } from '../simulation/sampler.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** A value, and whether the document guarantees its refusal. */
export interface MadeValue {
  readonly value: unknown;
  readonly isRefused: boolean;
}

/** Ids and slugs from earlier answers, so that requests refer to existing objects. */
export interface Seen {
  /** Keyed by the name under which requests use them, such as `postId`. */
  readonly ids: Record<string, string[]>;
  readonly slugs: string[];
}

const TEXTS = [
  'Hello',
  'Glöckchen 🔔',
  'שלום עולם',
  'e\u0301\u0301',
  '👩‍👩‍👧‍👦',
  "'; drop table posts; --",
  '<script>alert(1)</script>',
  '{{7*7}}',
  '../../etc/passwd',
  '%00',
  '\u202Eevil',
  '\u0001\u0007',
  'null',
  '0',
  'a b',
  '\\',
  '"',
  '\n\t ',
  '$1',
  '@alice #tag https://example.com',
];
const UNSTORABLE = ['a\u0000b', '\ud800', 'b\udfff'];

/** These need no DNS lookup: they are this machine, where nothing listens, or cannot be addresses. */
const ADDRESSES = [
  'https://127.0.0.1:9/hook',
  'http://127.0.0.1:9/bell.png',
  'http://localhost:4000/done',
  'https://[::1]:9/',
  'javascript:alert(1)',
  'https://',
  'https://127.0.0.1:99999/',
  'file:///etc/passwd',
  'http://0x7f.1:9/',
];

const FORMATS: Readonly<Record<string, (sampler: Sampler, seen: Seen, name: string) => string>> = {
  uuid: (sampler, seen, name) => {
    const known = seen.ids[name] ?? [];
    return known.length > 0 && sampler.chance(0.85) ? sampler.pick(known) : '01936b5e-0000-7000-8000-000000000000';
  },
  uri: (sampler) => sampler.pick(ADDRESSES),
  date: (sampler) =>
    `2026-${String(sampler.int(1, 12)).padStart(2, '0')}-${String(sampler.int(1, 28)).padStart(2, '0')}`,
  'date-time': (sampler) => new Date(Date.UTC(2026, 10, sampler.int(1, 60), sampler.int(0, 23))).toISOString(),
};

const matching = new Map<string, readonly string[]>();

/** Some matching texts, generated once for each pattern. */
function matches(pattern: string): readonly string[] {
  const known = matching.get(pattern) ?? sample(stringMatching(new RegExp(pattern)), { numRuns: 40, seed: 7 });
  matching.set(pattern, known);
  return known;
}

function resolve(schema: Schema): Schema {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  return apiDocument.components.schemas[$ref.replace('#/components/schemas/', '')] as Schema;
}

/**
 * A value that satisfies the schema. Services may still refuse it for rules of their own, such as names of time zones.
 */
export function rightValue(given: Schema, sampler: Sampler, seen: Seen, name = ''): unknown {
  const schema = resolve(given);
  if (Array.isArray(schema['anyOf'])) return rightValue(sampler.pick(schema['anyOf'] as Schema[]), sampler, seen, name);
  if (Array.isArray(schema['enum'])) return sampler.pick(schema['enum'] as unknown[]);
  switch (schema['type']) {
    case 'string':
      return rightText(schema, sampler, seen, name);
    case 'boolean':
      return sampler.chance(0.5);
    case 'integer':
      return sampler.int(Number(schema['minimum'] ?? 0), Math.min(Number(schema['maximum'] ?? 100), 100));
    case 'number':
      return sampler.int(Number(schema['minimum'] ?? 0), 100);
    case 'null':
      return null;
    case 'array':
      return rightItems(schema, sampler, seen, name);
    case 'object':
      return rightObject(schema, sampler, seen, name);
    default:
      return sampler.pick(['x', 1, true]);
  }
}

function rightText(schema: Schema, sampler: Sampler, seen: Seen, name: string): string {
  const format = FORMATS[String(schema['format'])];
  if (format !== undefined) return format(sampler, seen, name);
  if (typeof schema['pattern'] === 'string') return sampler.pick(matches(schema['pattern']));
  if (/slug/i.test(name) && seen.slugs.length > 0 && sampler.chance(0.8)) return sampler.pick(seen.slugs);
  if (name === 'timezone') return sampler.pick(['Europe/Paris', 'UTC', 'Asia/Kathmandu', 'Nowhere/None']);
  const text = sampler.chance(0.1) ? sampler.pick(TEXTS).repeat(sampler.int(1, 60)) : sampler.pick(TEXTS);
  return text.slice(0, Number(schema['maxLength'] ?? 1_000)) || 'a';
}

function rightItems(schema: Schema, sampler: Sampler, seen: Seen, name: string): unknown[] {
  const least = Number(schema['minItems'] ?? 0);
  const count = sampler.int(least, Math.min(Number(schema['maxItems'] ?? 3), least + 2));
  return Array.from({ length: count }, () =>
    rightValue((schema['items'] ?? {}) as Schema, sampler, seen, name.replace(/s$/, '')),
  );
}

/** The required fields, and each optional one with a probability of one half. */
export function rightObject(schema: Schema, sampler: Sampler, seen: Seen, parent = ''): Record<string, unknown> {
  const {
    properties = {},
    required = [],
    additionalProperties,
    propertyNames,
  } = schema as {
    properties?: Record<string, Schema>;
    required?: string[];
    additionalProperties?: boolean | Schema;
    propertyNames?: Schema;
  };
  const made = Object.entries(properties)
    .filter(([name]) => required.includes(name) || sampler.chance(0.3))
    .map(([name, field]) => [name, rightValue(field, sampler, seen, name === 'id' ? `${parent}Id` : name)] as const);
  const isOpen = typeof additionalProperties === 'object' && sampler.chance(0.3);
  const more = isOpen
    ? [
        [
          String(
            rightValue(propertyNames?.['enum'] === undefined ? { enum: ['field'] } : propertyNames, sampler, seen),
          ),
          rightValue(additionalProperties, sampler, seen),
        ] as const,
      ]
    : [];
  return Object.fromEntries([...made, ...more]);
}

/** A value on a bound of the schema, or just beyond it. */
export function boundaryValue(given: Schema, sampler: Sampler, seen: Seen, name: string): MadeValue {
  const schema = resolve(given);
  const beyond = sampler.chance(0.5);
  const of = (value: unknown, isRefused = beyond): MadeValue => ({ value, isRefused });
  const { type, maxLength, minLength, maximum, minimum, maxItems } = schema as Record<
    string,
    number | string | undefined
  >;
  if (
    type === 'string' &&
    typeof maxLength === 'number' &&
    schema['pattern'] === undefined &&
    schema['format'] === undefined
  )
    return of('a'.repeat(maxLength + (beyond ? 1 : 0)));
  if (type === 'string' && minLength === 1) return of('', true);
  if ((type === 'integer' || type === 'number') && typeof maximum === 'number' && typeof minimum === 'number')
    return of(sampler.chance(0.5) ? maximum + (beyond ? 1 : 0) : minimum - (beyond ? 1 : 0));
  if (type === 'array' && typeof maxItems === 'number') return boundaryItems(schema, maxItems, beyond, sampler, seen);
  return of(rightValue(schema, sampler, seen, name), false);
}

// Repeats may be dropped before they are counted, so the items differ if possible.
function boundaryItems(schema: Schema, maxItems: number, beyond: boolean, sampler: Sampler, seen: Seen): MadeValue {
  const items = (schema['items'] ?? {}) as Schema;
  const isPlain = items['type'] === 'string' && items['format'] === undefined && items['enum'] === undefined;
  const length = maxItems + (beyond ? 1 : 0);
  const value = Array.from({ length }, (_, index) => (isPlain ? `t${index}` : rightValue(items, sampler, seen)));
  return { value, isRefused: beyond };
}

/** A value that no schema of the API accepts at this place. */
export function brokenValue(given: Schema, sampler: Sampler): MadeValue {
  const schema = resolve(given);
  const refused = (value: unknown): MadeValue => ({ value, isRefused: true });
  const types = new Set([schema['type'], ...((schema['anyOf'] ?? []) as Schema[]).map((one) => one['type'])].flat());
  if (types.has('string') && sampler.chance(0.5))
    return refused(sampler.chance(0.5) ? sampler.pick(UNSTORABLE) : 'x'.repeat(150_000));
  const others = {
    string: 'not a number',
    boolean: true,
    number: 7.5,
    object: { nested: [[{}]] },
    array: [[null]],
    null: null,
  };
  const wrong = Object.entries(others).filter(([type]) => !types.has(type));
  const isAny = [...types].every((type) => type === undefined);
  return { value: sampler.pick(wrong)[1], isRefused: !isAny };
}
