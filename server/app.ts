/**
 * The HTTP application without a listening socket: install.ts serves it and tests start it. It finds out which part answers a
 * request. Operations and MCP are answered without Express, which takes longer for a request than their checks do
 * (docs/decisions/0120-answer-the-api-before-express.md).
 */
import type { RequestListener } from 'node:http';
import { createAccess } from './access.ts';
import { type AppOptions, createPages, createProbes, shareParts } from './pages.ts';
import { clientAddresses } from './client-address.ts';
import { createMcp } from './mcp.ts';
import { receiveRequests } from './receive-requests.ts';
import { isForMcp, operationTarget } from './request-paths.ts';
import { createRest } from './rest.ts';
import type { Runtime } from './runtime.ts';

/** Answers every path. */
export function createApp(context: Runtime, options: AppOptions = {}): RequestListener {
  const access = createAccess(context);
  const parts = shareParts(context, options);
  const rest = createRest(context, access);
  const mcp = createMcp(context, access, parts);
  const pages = createPages(context, access, { ...options, ...parts });
  return receiveRequests(context, access.addresses, (request, response) => {
    const target = operationTarget(request);
    if (target !== null) rest(request, response, target);
    else if (isForMcp(request.url ?? '')) mcp(request, response);
    else pages(request, response);
  });
}

/** The application of a worker: it answers only the probes of orchestrators (docs/contract/running.md#roles). */
export function createWorkerApp(context: Runtime, options: AppOptions = {}): RequestListener {
  const addresses = clientAddresses(context.config);
  return receiveRequests(context, addresses, createProbes(context, addresses, options));
}
