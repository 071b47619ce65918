/**
 * Makes a span of each HTTP request. It holds the method, the template of the path and the status, but neither the path
 * nor the query: both may hold a secret or the name of an account.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Tracer } from '../services/ports/tracer.ts';
import { requestIdOf } from './request-id.ts';

const ROUTE = Symbol('route');

interface Routed {
  [ROUTE]?: string;
}

/** Names the template of a path, such as `/api/v2/posts/{postId}`. */
export function nameRoute(response: ServerResponse & Routed, template: string): void {
  response[ROUTE] = template;
}

/** Methods by which spans are named; any other one is `_OTHER`, as the semantic conventions say. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Handlers that are mounted under a prefix and tell no route. */
const MOUNTS = /^\/(?:owner\/(?:trpc|events|media)|trpc|mcp|oauth|operator|connect)(?=[/?]|$)/;

/** Headers longer than this are not read. */
const TRACEPARENT_MAX = 128;

/** @param answer runs within the span */
export function traceRequest(
  tracer: Tracer,
  request: IncomingMessage,
  response: ServerResponse,
  answer: () => void,
): void {
  const method = METHODS.has(request.method ?? '') ? String(request.method) : '_OTHER';
  const { url = '' } = request;
  const traceparent = tracedBy(request);
  const attributes = { 'http.request.method': method, 'carillon.request.id': requestIdOf(response) };
  void tracer.span({ name: method, kind: 'server', traceparent, attributes }, async (span) => {
    const closed = new Promise((resolve) => response.once('close', resolve));
    answer();
    await closed;
    const route = routeOf(request, response, url);
    if (route !== undefined) span.rename(`${method} ${route}`);
    const status = response.headersSent ? response.statusCode : undefined;
    span.set({ 'http.route': route, 'http.response.status_code': status });
    if (status === undefined) span.fail('no_answer');
    else if (status >= 500) span.fail(String(status));
  });
}

function tracedBy({ headers }: IncomingMessage): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' && traceparent.length <= TRACEPARENT_MAX ? traceparent : undefined;
}

/** Express keeps the last route that took the request; it has no type for it. */
function routeOf(
  request: IncomingMessage & { readonly route?: { readonly path?: unknown } },
  response: ServerResponse & Routed,
  url: string,
): string | undefined {
  const named = response[ROUTE];
  if (named !== undefined) return named;
  const mount = MOUNTS.exec(url)?.[0];
  if (mount !== undefined) return mount;
  const path = request.route?.path;
  return typeof path === 'string' ? path : undefined;
}
