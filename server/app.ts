/**
 * The HTTP application without a listening socket: main.ts serves it and tests start it. It finds out which part answers a
 * request. Operations and MCP are answered without Express, which takes longer for a request than their checks do
 * (docs/decisions/0120-answer-the-api-before-express.md).
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import { createAccess } from './access.ts';
import { type AppOptions, createPages, createProbes, shareParts } from './pages.ts';
import { clientAddresses } from './client-address.ts';
import { createMcp } from './mcp.ts';
import { receiveRequests } from './receive-requests.ts';
import { createRest, type RestTarget } from './rest.ts';
import { isBeside } from './rest-routes.ts';
import type { Runtime } from './runtime.ts';

/** Answers every path. */
export function createApp(context: Runtime, options: AppOptions = {}): RequestListener {
  const access = createAccess(context);
  const parts = shareParts(context, options);
  const rest = createRest(context, access);
  const mcp = createMcp(context, access, parts);
  const pages = createPages(context, access, { ...options, ...parts });
  return receiveRequests(context, access.addresses, (request, response) => {
    request.url = request.url?.replace(ORIGIN, '');
    const target = operationTarget(request);
    if (target !== null) rest(request, response, target);
    else if (MCP_PATH.test(request.url ?? '')) mcp(request, response);
    else pages(request, response);
  });
}

/** The application of a worker: it answers only the probes of orchestrators (docs/contract/running.md#roles). */
export function createWorkerApp(context: Runtime, options: AppOptions = {}): RequestListener {
  const addresses = clientAddresses(context.config);
  return receiveRequests(context, addresses, createProbes(context, addresses, options));
}

/** A request line may name the whole address, as one to a proxy does. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

const API_ROOT = /^\/api\/v2(?=[/?#]|$)/i;
const MCP_PATH = /^\/mcp(?=[/?#]|$)/i;

/** Null for a request that is not for an operation. */
function operationTarget({ method = '', url = '' }: IncomingMessage): RestTarget | null {
  if (!API_ROOT.test(url)) return null;
  const rest = url.slice('/api/v2'.length);
  const target = splitUrl(rest.startsWith('/') ? rest : `/${rest}`);
  return isBeside(method, target.path) ? null : target;
}

/** Splits at the first question mark, because a query may contain more. */
function splitUrl(url: string): RestTarget {
  const mark = url.indexOf('?');
  return mark === -1 ? { path: url, search: '' } : { path: url.slice(0, mark), search: url.slice(mark + 1) };
}
