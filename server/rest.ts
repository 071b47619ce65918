/**
 * Serves the router over REST: finds the operation, checks the key, reads the input, counts the request, calls the
 * procedure and writes the answer, in the order of docs/contract/errors-and-limits.md#order-of-a-request. A body that
 * arrived with its headers is read first, so that one round trip checks the key and counts the request. Any other body
 * is read only for a valid key.
 */
import { callTRPCProcedure } from '@trpc/server';
import type { Request, Response } from 'express';
import type { Credentials } from '../mcp/admit.ts';
import { appRouter } from '../routers/index.ts';
import type { Operation } from '../routers/operations.ts';
import type { OperationContext } from '../routers/context.ts';
import { bucketOf, successStatusOf } from '../routers/meta.ts';
import type { Caller } from '../services/access/caller.ts';
import { networkOf } from '../services/limits/network-of.ts';
import { REQUEST_ID_HEADER } from './rate-headers.ts';
import { requestIdOf } from './request-id.ts';
import { writeAnswer } from './rest-answer.ts';
import { readInput, takesBody } from './rest-input.ts';
import { admitCaller, countCaller, type Exchange, refuseWhenFull, writeError } from './rest-request.ts';
import { findRoute } from './rest-routes.ts';
import { ROUTE } from './trace-requests.ts';
import type { Runtime } from './runtime.ts';

/** A request that passed the checks. */
interface Admitted {
  readonly operation: Operation;
  readonly input: unknown;
  readonly caller: Caller | null;
}

/** Answers one request below the API root. */
export async function handleRest(
  context: Runtime,
  credentials: Credentials,
  request: Request,
  response: Response,
): Promise<void> {
  const requestId = requestIdOf(response);
  const exchange: Exchange = { request, response, headers: { [REQUEST_ID_HEADER]: requestId } };
  const { headers } = exchange;
  let admitted: Admitted | undefined;
  try {
    admitted = await admit(context, credentials, exchange);
    const { operation, input, caller } = admitted;
    const setHeader = (name: string, value: string) => {
      headers[name] = value;
    };
    const ctx: OperationContext = { services: context, caller, requestId, surface: 'rest', setHeader };
    const body = await call(operation, input, ctx);
    const { meta } = operation;
    await writeAnswer(request, response, { status: successStatusOf(meta), headers, body, raw: meta.rawAnswer });
  } catch (thrown) {
    await writeError(context, exchange, thrown, admitted?.input);
  }
}

/** Splits at the first question mark, because a query may contain more. */
function splitUrl(url: string): { path: string; search: string } {
  const mark = url.indexOf('?');
  return mark === -1 ? { path: url, search: '' } : { path: url.slice(0, mark), search: url.slice(mark + 1) };
}

/** Checks the key and counts the request. Adds the headers that the answer will carry from here on. */
async function admit(context: Runtime, credentials: Credentials, exchange: Exchange): Promise<Admitted> {
  const { request, headers } = exchange;
  const { path, search } = splitUrl(request.url);
  const route = findRoute(request.method, path);
  if ('error' in route) {
    await admitCaller(context, credentials, exchange, undefined);
    if (route.allow !== undefined) headers['allow'] = route.allow;
    throw route.error;
  }
  const { operation } = route;
  exchange.response.locals[ROUTE] = `/api/v2${operation.meta.openapi.path}`;
  const bucket = bucketOf(operation.meta);
  const read = () => readInput(route, request, new URLSearchParams(search));
  if (operation.meta.access === 'public') {
    delete headers[REQUEST_ID_HEADER];
    const input = await read();
    if (bucket !== null) {
      const name = `${networkOf(request.ip ?? '')} ${bucket}`;
      refuseWhenFull(await context.publicLimiter.take(name, context.clock.now()));
    }
    return { operation, input, caller: null };
  }
  if (takesBody(operation)) await bodyThatCameAlong();
  if (request.complete || !takesBody(operation))
    return admitWhole(context, credentials, exchange, { operation, bucket, read });
  const caller = await admitCaller(context, credentials, exchange, undefined);
  const input = await read();
  if (bucket !== null) await countCaller(context, exchange, caller, bucket);
  return { operation, input, caller };
}

/** The parser calls us after the headers. Yielding once lets it process body bytes that arrived together with them. */
function bodyThatCameAlong(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Admits a request that has arrived completely, in one round trip. */
async function admitWhole(
  context: Runtime,
  credentials: Credentials,
  exchange: Exchange,
  wanted: { operation: Operation; bucket: string | null; read: () => Promise<unknown> },
): Promise<Admitted> {
  const given = await wanted.read().then(
    (input) => ({ input }),
    (error: unknown) => ({ error }),
  );
  // An unreadable request does not count (docs/contract/errors-and-limits.md#order-of-a-request), and the error is
  // reported only if the key is valid.
  const counted = 'error' in given || wanted.bucket === null ? undefined : wanted.bucket;
  const caller = await admitCaller(context, credentials, exchange, counted);
  if ('error' in given) throw given.error;
  return { operation: wanted.operation, input: given.input, caller };
}

function call(operation: Operation, input: unknown, ctx: OperationContext): Promise<unknown> {
  return callTRPCProcedure({
    router: appRouter,
    path: operation.name,
    getRawInput: async () => input,
    ctx,
    type: operation.procedure._def.type,
    signal: undefined,
    batchIndex: 0,
  });
}
