/** Calls an operation over REST from its declaration: path, query, body or bytes, all from one input. */
import type { Operation } from '../../routers/operations.ts';
import type { RestAnswer, RestCall, World } from './world.ts';

/** @param key as {@link RestCall} has it: the live key when left out, none when null */
export function callOverRest(
  world: World,
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  key?: string | null,
): Promise<RestAnswer> {
  const { method, path } = operation.meta.openapi;
  const rest = { ...input };
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = String(rest[name]);
    delete rest[name];
    return encodeURIComponent(value);
  });
  const call = (address: string, options: RestCall) =>
    world.rest(`${method} ${address}` as 'POST /', { ...options, ...(key === undefined ? {} : { key }) });
  const { rawBody } = operation.meta;
  if (rawBody?.bytes !== undefined) {
    const headers = { 'content-type': String(rest[rawBody.bytes.contentTypeField]) };
    const search = new URLSearchParams(rawBody.query.map((name) => [name, String(rest[name])])).toString();
    return call(`${filled}?${search}`, { raw: Buffer.from(String(rest[rawBody.field]), 'base64'), headers });
  }
  if (rawBody !== undefined) {
    return call(filled, { raw: String(rest[rawBody.field]), headers: { 'content-type': 'text/plain' } });
  }
  if (!['GET', 'DELETE'].includes(method)) return call(filled, { body: rest });
  const pairs = Object.entries(rest).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  const query = new URLSearchParams(pairs).toString();
  return call(`${filled}?${query}`, {});
}
