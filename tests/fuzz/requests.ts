/** Requests made from the OpenAPI document, as bytes on the wire and as a curl command. */
import { apiDocument } from '../harness/api-document.ts';
import type { Sampler } from '../simulation/sampler.ts';
import {
  boundaryValue,
  brokenValue,
  type MadeValue,
  rightObject,
  rightValue,
  type Schema,
  type Seen,
} from './values.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

/** An operation of the document. */
export interface Target {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly type: string; readonly schema: Schema; readonly required: boolean };
}

/** A request whose parts can be removed one by one. */
export interface FuzzRequest {
  readonly target: Target;
  readonly path: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string | null;
  /** Fields of a JSON body; a string is sent unchanged; null for none. */
  readonly body: Readonly<Record<string, unknown>> | string | null;
  /** Whether the document guarantees a refusal. */
  readonly isRefused: boolean;
}

/** The event stream does not end, and has separate tests. */
const LEFT_OUT = ['/events'];

/** All operations of the document. One with bodies of several types appears with the first. */
export const targets: readonly Target[] = Object.entries(apiDocument.paths)
  .filter(([path]) => !LEFT_OUT.includes(path))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
      const content = (requestBody as { content?: Record<string, { schema?: Schema }> } | undefined)?.content ?? {};
      const [first] = Object.entries(content);
      const target = { method: method.toUpperCase(), path, parameters: parameters as unknown as Parameter[] };
      if (first === undefined) return target;
      const [type, { schema = {} }] = first;
      return { ...target, body: { type, schema, required: requestBody?.['required'] === true } };
    }),
  );

type Make = (schema: Schema, name: string) => MadeValue;

/**
 * Most requests are valid. In the others one part is invalid or at its limit, so that the code behind validation runs.
 */
export function makeRequest(sampler: Sampler, seen: Seen): FuzzRequest {
  const target = sampler.pick(targets);
  const style = sampler.weighted({ right: 5, boundary: 3, broken: 3, garbage: 1 });
  const right: Make = (schema, name) => ({ value: rightValue(schema, sampler, seen, name), isRefused: false });
  const odd: Make =
    style === 'boundary'
      ? (schema, name) => boundaryValue(schema, sampler, seen, name)
      : (schema) => brokenValue(schema, sampler);
  const fields = fieldsOf(target);
  const oddOne = style === 'right' || style === 'garbage' || fields.length === 0 ? null : sampler.pick(fields);
  let isRefused = false;
  const make = (name: string, schema: Schema) => {
    const made = (name === oddOne ? odd : right)(schema, name);
    isRefused ||= made.isRefused;
    return made.value;
  };
  const parameters = target.parameters.filter(
    (one) => one.required === true || one.in === 'path' || one.name === oddOne || sampler.chance(0.4),
  );
  const at = (place: Parameter['in']) => parameters.filter((one) => one.in === place);
  const path = Object.fromEntries(at('path').map(({ name, schema }) => [name, inPath(make(name, schema))]));
  const query = at('query').flatMap(({ name, schema }) =>
    [make(name, schema)].flat().map((item) => [name, textOf(item)] as const),
  );
  const headers = Object.fromEntries(
    at('header').map(({ name, schema }) => [name, inHeader(textOf(make(name, schema)))]),
  );
  const { body, contentType } = makeBody(target, { sampler, seen, style, oddOne, make });
  const isWire = parameters.some(({ name }) => name === oddOne);
  // Texts on the wire have no types: "7" is a number, and an unpaired surrogate arrives as other characters.
  return { target, path, query, headers, contentType, body, isRefused: isRefused && !isWire };
}

function fieldsOf({ parameters, body }: Target): string[] {
  const inBody = body?.type === 'application/json' ? Object.keys((body.schema['properties'] ?? {}) as object) : [];
  return [...parameters.map(({ name }) => name), ...inBody];
}

interface BodyPlan {
  readonly sampler: Sampler;
  readonly seen: Seen;
  readonly style: string;
  readonly oddOne: string | null;
  readonly make: (name: string, schema: Schema) => unknown;
}

const GARBAGE = [
  '{',
  '[]',
  'null',
  '"text"',
  '{"a":',
  '\u0000',
  `${'['.repeat(40)}${']'.repeat(40)}`,
  '{"__proto__":{"x":1}}',
  '{"unknownField":1}',
  'a=b&c=d',
];

function makeBody(
  target: Target,
  { sampler, seen, style, oddOne, make }: BodyPlan,
): Pick<FuzzRequest, 'body' | 'contentType'> {
  const { body } = target;
  if (body === undefined) return { body: null, contentType: null };
  if (style === 'garbage') return { body: sampler.pick(GARBAGE), contentType: body.type };
  if (body.type !== 'application/json')
    return { body: String(rightValue({ type: 'string', maxLength: 500 }, sampler, seen)), contentType: body.type };
  if (!body.required && sampler.chance(0.3)) return { body: null, contentType: null };
  const made = rightObject(body.schema, sampler, seen);
  const properties = (body.schema['properties'] ?? {}) as Record<string, Schema>;
  const odd = oddOne === null ? undefined : properties[oddOne];
  return {
    body: odd === undefined ? made : { ...made, [String(oddOne)]: make(String(oddOne), odd) },
    contentType: body.type,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed().slice(0, 4_000) : JSON.stringify(value);
}

/** Path segments of dots alone would be normalised away before the request is sent. */
function inPath(value: unknown): string {
  const text = textOf(value);
  return /^\.{0,2}$/.test(text) ? 'x' : text;
}

function inHeader(text: string): string {
  return text.replaceAll(/[^\u0020-\u007e]/g, '?').trim() || 'key';
}

/** Path and query below the API root. */
export function addressOf({ target, path, query }: FuzzRequest): string {
  const filled = target.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(path[name] ?? 'x'));
  const search = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return search === '' ? filled : `${filled}?${search}`;
}

export function bodyOf({ body }: FuzzRequest): string | undefined {
  if (body === null) return undefined;
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** The request as a command, for a report. */
export function curlOf(request: FuzzRequest): string {
  const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const headers = {
    ...request.headers,
    ...(request.contentType === null ? {} : { 'content-type': request.contentType }),
  };
  const body = bodyOf(request);
  return [
    `curl -i -X ${request.target.method} ${quote(`http://localhost:3000/api/v2${addressOf(request)}`)} -H "x-api-key: $KEY"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quote(body)}`]),
  ].join(' ');
}

/** Every variant of the request with one part removed. */
export function smaller(request: FuzzRequest): FuzzRequest[] {
  const { query, headers, body } = request;
  const without = <Value>(record: Readonly<Record<string, Value>>, name: string) =>
    Object.fromEntries(Object.entries(record).filter(([other]) => other !== name));
  return [
    ...query.map((_, index) => ({ ...request, query: query.toSpliced(index, 1) })),
    ...Object.keys(headers).map((name) => ({ ...request, headers: without(headers, name) })),
    ...(body !== null && typeof body === 'object'
      ? Object.keys(body).map((name) => ({ ...request, body: without(body, name) }))
      : []),
  ];
}
