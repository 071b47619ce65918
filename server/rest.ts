/**
 * REST over the router: finds the operation, reads its input, checks key and rate, calls the
 * procedure and writes the answer, in the order of D31. The key is checked and the request counted in
 * one round trip; what is wrong with route or body is found before, and told only after the key is good.
 */
import { callTRPCProcedure } from '@trpc/server';
import type { Request, Response } from 'express';
import { ServiceError } from '../errors/service-error.ts';
import { appRouter } from '../routers/index.ts';
import type { Operation } from '../routers/operations.ts';
import { bucketOf, type OperationContext, successStatusOf } from '../routers/trpc.ts';
import type { Context } from '../services/context.ts';
import { authenticate } from '../services/keys/authenticate.ts';
import type { Caller } from '../services/keys/caller.ts';
import { presentedKey } from './presented-key.ts';
import { REQUEST_ID_HEADER } from './rate-headers.ts';
import { requestIdOf } from './request-id.ts';
import { writeAnswer } from './rest-answer.ts';
import { readInput } from './rest-input.ts';
import { admitCaller, refuseWhenFull, writeError } from './rest-request.ts';
import { findRoute } from './rest-routes.ts';

/** What the request asks for, or why it cannot be told. */
type Wanted =
  | { readonly refused: false; readonly operation: Operation; readonly input: unknown }
  | { readonly refused: true; readonly operation?: Operation; readonly error: unknown; readonly allow?: string };

/** Answers one request below the API root; `path` is what follows the root. */
export async function handleRest(context: Context, request: Request, response: Response): Promise<void> {
  const requestId = requestIdOf(response);
  const headers: Record<string, string> = { [REQUEST_ID_HEADER]: requestId };
  const wanted = await readWanted(context, request);
  try {
    const caller = await admit(context, request, wanted, headers);
    if (wanted.refused) throw wanted.error;
    const setHeader = (name: string, value: string) => {
      headers[name] = value;
    };
    const ctx: OperationContext = { services: context, caller, requestId, surface: 'rest', setHeader };
    const body = await call(wanted.operation, wanted.input, ctx);
    const { meta } = wanted.operation;
    await writeAnswer(request, response, { status: successStatusOf(meta), headers, body, raw: meta.rawAnswer });
  } catch (thrown) {
    if (wanted.refused && wanted.allow !== undefined && thrown === wanted.error) headers['allow'] = wanted.allow;
    const input = wanted.refused ? undefined : wanted.input;
    await writeError(context, { request, response, headers }, thrown, input);
  }
}

/** A query may hold question marks of its own. */
function splitUrl(url: string): { path: string; search: string } {
  const mark = url.indexOf('?');
  return mark === -1 ? { path: url, search: '' } : { path: url.slice(0, mark), search: url.slice(mark + 1) };
}

async function readWanted(context: Context, request: Request): Promise<Wanted> {
  const { path, search } = splitUrl(request.url);
  const route = findRoute(request.method, path);
  if ('error' in route) return { refused: true, ...route };
  const { operation } = route;
  // Bytes come in large bodies, which are not read for who has no key.
  if (
    operation.meta.rawBody?.bytes !== undefined &&
    (await authenticate(context, presentedKey(request.headers))) === null
  ) {
    return { refused: true, operation, error: new ServiceError('unauthorized') };
  }
  try {
    return { refused: false, operation, input: await readInput(route, request, new URLSearchParams(search)) };
  } catch (error) {
    return { refused: true, operation, error };
  }
}

/** Checks the key and counts the request; adds the headers that the answer will carry from here on. */
async function admit(
  context: Context,
  request: Request,
  wanted: Wanted,
  headers: Record<string, string>,
): Promise<Caller | null> {
  const bucket = wanted.operation === undefined ? null : bucketOf(wanted.operation.meta);
  if (wanted.operation?.meta.access === 'public') {
    delete headers[REQUEST_ID_HEADER];
    if (bucket !== null)
      refuseWhenFull(await context.publicLimiter.take(`${request.ip} ${bucket}`, context.clock.now()));
    return null;
  }
  const counted = wanted.refused || bucket === null ? undefined : bucket;
  return admitCaller(context, { request, headers }, counted);
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
