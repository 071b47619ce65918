/** Calls an operation over REST with values that no client would send, each at its declared place. */
import type { Operation } from '../../routers/operations.ts';
import type { RestAnswer, World } from './world.ts';

type Place = 'path' | 'query' | 'body' | 'header';

/** The place in the request of the field that `path` starts with: path, header, query or body. */
export function placeOf({ meta }: Operation, path: readonly (string | number)[]): Place {
  const name = String(path[0]);
  const { method, path: template } = meta.openapi;
  if (template.includes(`{${name}}`)) return 'path';
  if (name === 'idempotencyKey' && meta.takesIdempotencyKey === true) return 'header';
  if (['GET', 'DELETE'].includes(method) || meta.rawBody?.query.includes(name) === true) return 'query';
  // The type of a body of bytes is its Content-Type.
  return name === meta.rawBody?.bytes?.contentTypeField ? 'header' : 'body';
}

/** Path fields that the input lacks get an id that does not exist. */
export function callHostile(world: World, operation: Operation, input: Record<string, unknown>): Promise<RestAnswer> {
  const { openapi, rawBody } = operation.meta;
  const at = (wanted: Place) =>
    Object.entries(input).filter(([name]) => placeOf(operation, [name]) === wanted) as [string, unknown][];
  const address = openapi.path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encode(String(input[name] ?? '00000000-0000-7000-8000-000000000000')),
  );
  const search = at('query').flatMap(([name, value]) =>
    [value].flat().map((item) => `${name}=${encode(String(item))}`),
  );
  const headers = Object.fromEntries(at('header').map(([name, value]) => [HEADERS[name] ?? name, headerText(value)]));
  const body = Object.fromEntries(at('body'));
  const isRead = ['GET', 'DELETE'].includes(openapi.method);
  const sent = isRead ? {} : rawBody === undefined ? { body } : { raw: rawText(body[rawBody.field]) };
  const type = rawBody === undefined || rawBody.bytes === undefined ? {} : { 'content-type': 'image/png' };
  return world.rest(`${openapi.method} ${address}?${search.join('&')}` as 'GET /', {
    ...sent,
    headers: { ...type, ...headers },
  });
}

const HEADERS: Record<string, string> = { idempotencyKey: 'idempotency-key', contentType: 'content-type' };

/** An unpaired surrogate as the bytes that some programs write for it, which are not valid UTF-8. */
function encode(text: string): string {
  return text
    .replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\u0001')
    .split('\u0001')
    .map(encodeURIComponent)
    .join('%ED%A0%80');
}

/**
 * Headers carry no NUL, no character above one byte, and few characters; this returns the closest bytes to the text.
 */
function headerText(value: unknown): string {
  return String(value)
    .slice(0, 10_000)
    .replaceAll('\u0000', '\u0080')
    .replaceAll(/[^\u0020-\u00ff]/g, '\u00ff');
}

function rawText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
