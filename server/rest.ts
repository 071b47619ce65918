/**
 * Serves the router over REST: finds the operation, checks the key, reads the input, counts the request, calls the
 * procedure and writes the answer, in the order of docs/contract/errors-and-limits.md#order-of-a-request. A body that
 * arrived with its headers is read first, so that one round trip checks the key and counts the request. Any other body
 * is read only for a valid key.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Credentials } from '../mcp/admit.ts';
import type { Operation } from '../routers/operations.ts';
import type { OperationContext } from '../routers/context.ts';
import { bucketOf, successStatusOf } from '../routers/meta.ts';
import { runOperation } from '../routers/run-operation.ts';
import type { Caller } from '../services/access/caller.ts';
import { networkOf } from '../services/limits/network-of.ts';
import type { Access } from './access.ts';
import type { ClientAddresses } from './client-address.ts';
import { CORS_HEADERS, PREFLIGHT_HEADERS } from './cors.ts';
import { REQUEST_ID_HEADER } from './rate-headers.ts';
import { requestIdOf } from './request-id.ts';
import { writeAnswer } from './rest-answer.ts';
import { readInput, takesBody } from './rest-input.ts';
import { admitCaller, type Exchange, refuseWhenFull, writeError } from './rest-request.ts';
import type { RestTarget } from './request-paths.ts';
import { findRoute } from './rest-routes.ts';
import type { Runtime } from './runtime.ts';
import { secureHeaders } from './secure-headers.ts';
import { nameRoute } from './trace-requests.ts';
import { writeFailure } from './write-failure.ts';
import { parseQuery } from './utf8.ts';

/** A request that passed the checks. */
interface Admitted {
  readonly operation: Operation;
  readonly input: unknown;
  readonly caller: Caller | null;
}

/** What the requests of operations are checked with. */
interface Checks {
  readonly credentials: Credentials;
  readonly addresses: ClientAddresses;
}

/** Answers one request below the API root. */
type RestListener = (request: IncomingMessage, response: ServerResponse, target: RestTarget) => void;

export function createRest(context: Runtime, { addresses, credentials }: Access): RestListener {
  const checks = { addresses, credentials: credentials('api') };
  const common = { ...secureHeaders(context.config), ...CORS_HEADERS };
  const preflight = { ...common, ...PREFLIGHT_HEADERS };
  return (request, response, target) => {
    if (request.method === 'OPTIONS') return void response.writeHead(204, preflight).end();
    const headers = { ...common, [REQUEST_ID_HEADER]: requestIdOf(response) };
    answer(context, checks, { request, response, target, headers }).catch((thrown: unknown) =>
      writeFailure(context, response, thrown),
    );
  };
}

interface RestExchange extends Exchange {
  readonly target: RestTarget;
}

async function answer(context: Runtime, checks: Checks, exchange: RestExchange): Promise<void> {
  const { request, response, headers } = exchange;
  let admitted: Admitted | undefined;
  try {
    admitted = await admit(context, checks, exchange);
    const { operation, input, caller } = admitted;
    const setHeader = (name: string, value: string) => {
      headers[name] = value;
    };
    const requestId = requestIdOf(response);
    const ctx: OperationContext = { services: context, caller, requestId, surface: 'rest', setHeader };
    const body = await runOperation(operation, input, ctx);
    const { meta } = operation;
    await writeAnswer(request, response, { status: successStatusOf(meta), headers, body, raw: meta.rawAnswer });
  } catch (thrown) {
    await writeError(context, exchange, thrown, admitted?.input);
  }
}

/** Checks the key and counts the request. Adds the headers that the answer will carry from here on. */
async function admit(context: Runtime, { credentials, addresses }: Checks, exchange: RestExchange): Promise<Admitted> {
  const { request, headers } = exchange;
  const { path, search } = exchange.target;
  const route = findRoute(request.method ?? '', path);
  if ('error' in route) {
    await admitCaller(context, credentials, exchange, undefined);
    if (route.allow !== undefined) headers['allow'] = route.allow;
    throw route.error;
  }
  const { operation } = route;
  nameRoute(exchange.response, `/api/v2${operation.meta.openapi.path}`);
  const bucket = bucketOf(operation.meta);
  const read = async () => readInput(route, request, parseQuery(search));
  if (operation.meta.access === 'public') {
    delete headers[REQUEST_ID_HEADER];
    const input = await read();
    if (bucket !== null) {
      const name = `${networkOf(addresses.of(request))} ${bucket}`;
      refuseWhenFull(await context.publicLimiter.take(name, context.clock.now()));
    }
    return { operation, input, caller: null };
  }
  if (takesBody(operation)) await bodyThatCameAlong();
  if (request.complete || !takesBody(operation))
    return admitWhole(context, credentials, exchange, { operation, bucket, read });
  await admitCaller(context, credentials, exchange, undefined);
  const input = await read();
  // Checked again with the count, because the key may have ended while the body was held back.
  const caller = await admitCaller(context, credentials, exchange, bucket ?? undefined);
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
