/**
 * Builds an operation's input from path, query and body. Values are read, never coerced: `limit=ten` stays a text and
 * is refused.
 */
import type { IncomingMessage } from 'node:http';
import { z, type ZodType } from 'zod';
import { ServiceError } from '../errors/service-error.ts';
import type { Operation } from '../routers/operations.ts';
import type { RawBodyMeta } from '../routers/meta.ts';
import { readBody } from './read-body.ts';
import type { Route } from './rest-routes.ts';
import { decodeUtf8, notJson } from './utf8.ts';

/** Largest body of an ordinary request. */
const BODY_MAX_BYTES = 1_048_576;

type QueryReader = (values: readonly string[]) => unknown;

/** How each query parameter of each operation is read, computed once. */
const queryReaders = new WeakMap<Operation, ReadonlyMap<string, QueryReader>>();

/**
 * @throws ServiceError unsupported_content_type, request_too_large or invalid_request, before anything is validated.
 */
export async function readInput(route: Route, request: IncomingMessage, search: URLSearchParams): Promise<unknown> {
  const { operation, pathParameters } = route;
  const query = readQuery(operation, pathParameters, search);
  if (!takesBody(operation)) return { ...query, ...pathParameters };
  const body = operation.meta.rawBody
    ? await readRaw(operation.meta.rawBody, request)
    : parseJson(await readBody(request, BODY_MAX_BYTES));
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const clash = Object.keys(pathParameters).find((name) => Object.hasOwn(body, name));
  if (clash !== undefined) throw new ServiceError('invalid_request', `${clash}: belongs in the path, not in the body.`);
  return { ...body, ...query, ...pathParameters, ...keyOf(operation, body, request) };
}

/** Whether requests of the operation are read beyond their headers. */
export function takesBody({ meta }: Operation): boolean {
  return !['GET', 'DELETE'].includes(meta.openapi.method);
}

/** The Idempotency-Key header, as the field of the operation's input. */
function keyOf(operation: Operation, body: object, request: IncomingMessage): Record<string, unknown> {
  if (operation.meta.takesIdempotencyKey !== true) return {};
  if (Object.hasOwn(body, 'idempotencyKey')) {
    throw new ServiceError(
      'invalid_request',
      'idempotencyKey: is sent as the header Idempotency-Key, not in the body.',
    );
  }
  const key = request.headers['idempotency-key'];
  return key === undefined ? {} : { idempotencyKey: key };
}

/** The Content-Type without its parameters; an empty string when none was sent. */
function mediaType(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

async function readRaw(meta: RawBodyMeta, request: IncomingMessage): Promise<Record<string, unknown>> {
  const type = mediaType(request);
  const mayBeLeftOut = meta.bytes === undefined;
  if (!meta.contentTypes.includes(type) && !(type === '' && mayBeLeftOut)) {
    const sent = type === '' ? 'A request without Content-Type' : `Content-Type ${type.slice(0, 80)}`;
    throw new ServiceError('unsupported_content_type', `${sent} is not accepted here; send ${meta.expected}.`);
  }
  if (meta.bytes === undefined) return { [meta.field]: decodeText(await readBody(request, BODY_MAX_BYTES)) };
  const { max, tooLarge, contentTypeField } = meta.bytes;
  const body = await readBody(request, max, tooLarge);
  return { [meta.field]: body.toString('base64'), [contentTypeField]: type };
}

/** Refuses what is not UTF-8: replaced characters would be published. */
function decodeText(body: Buffer): string {
  try {
    return decodeUtf8(body);
  } catch (cause) {
    throw new ServiceError('invalid_request', 'The body is not valid UTF-8. Send the text in UTF-8.', { cause });
  }
}

function parseJson(body: Buffer): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(decodeUtf8(body));
  } catch (cause) {
    throw notJson(cause);
  }
}

function readQuery(
  operation: Operation,
  pathParameters: Readonly<Record<string, string>>,
  search: URLSearchParams,
): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, read] of readersOf(operation)) {
    if (search.has(name) && !Object.hasOwn(pathParameters, name)) input[name] = read(search.getAll(name));
  }
  return input;
}

function readersOf(operation: Operation): ReadonlyMap<string, QueryReader> {
  const known = queryReaders.get(operation);
  if (known !== undefined) return known;
  const names = takesBody(operation) ? (operation.meta.rawBody?.query ?? []) : Object.keys(operation.input.shape);
  const readers = new Map(names.map((name) => [name, readerOf(operation.input.shape[name] as ZodType)]));
  queryReaders.set(operation, readers);
  return readers;
}

function readerOf(schema: ZodType): QueryReader {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodArray) {
    const readItem = readerOf(inner.element as ZodType);
    return (values) => values.map((value) => readItem([value]));
  }
  const readOne = inner instanceof z.ZodNumber ? readNumber : inner instanceof z.ZodBoolean ? readBoolean : asIs;
  // A repeated parameter is not one value: as an array it fails validation under its own name.
  return (values) => (values.length === 1 ? readOne(values[0] ?? '') : values);
}

function unwrap(schema: ZodType): ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return unwrap(schema.unwrap() as ZodType);
  }
  return schema;
}

function readNumber(value: string): unknown {
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;
}

function readBoolean(value: string): unknown {
  if (value === 'true') return true;
  return value === 'false' ? false : value;
}

function asIs(value: string): unknown {
  return value;
}
