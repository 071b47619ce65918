/**
 * Serves both protocol eras on one endpoint without sessions: 2026-07-28, and the revisions before it. Those allow
 * several messages in one request, and each of them counts.
 */
import { type AuthInfo, createMcpHandler } from '@modelcontextprotocol/server';
import { ServiceError } from '../errors/service-error.ts';
import { checkInputBounds } from '../routers/schemas/input-bounds.ts';
import type { RateState } from '../services/limits/rate-limiter.ts';
import type { McpCall } from './call-operation.ts';
import { missingScopes } from './missing-scopes.ts';
import { insufficientScope, invalidRequest, tooManyRequests } from './refusals.ts';
import { createServerFactory, type ServerOptions } from './server.ts';
import type { OperationServices } from '../routers/context.ts';

/** Largest body of a request. */
export const BODY_MAX_BYTES = 1_048_576;

/** Most messages in one request. */
const BATCH_MAX = 50;

/** A request whose caller is known and whose first message is counted. */
interface AdmittedCall extends McpCall {
  /** Counts this many additional messages. */
  countMore(messages: number): Promise<RateState>;
}

export type Protocol = (request: Request, call: AdmittedCall) => Promise<Response>;

export function createProtocol(context: OperationServices, options: ServerOptions): Protocol {
  const createServer = createServerFactory(context, options);
  const handler = createMcpHandler(({ authInfo }) => createServer(callOf(authInfo)), {
    maxRequestBodySize: BODY_MAX_BYTES,
    onerror: (error) => context.log.warn({ err: error }, 'an MCP request was not served'),
  });
  return async (request, call) => {
    const body = await bodyOf(request);
    const messages = Array.isArray(body) ? body.length : 1;
    if (messages > BATCH_MAX)
      return invalidRequest(`A batch may carry at most ${BATCH_MAX} messages; this one has ${messages}.`);
    const problem = boundsProblem(Array.isArray(body) ? body : [body]);
    if (problem !== null) return invalidRequest(problem);
    if (messages > 1) {
      const rate = await call.countMore(messages - 1);
      if (!rate.allowed) return tooManyRequests(context, rate);
    }
    const { scopes } = call.caller;
    const missing = scopes === null ? [] : missingScopes(body, scopes);
    if (missing.length > 0) return insufficientScope(context, missing);
    return handler.fetch(request, { authInfo: authInfoOf(call) });
  };
}

/** Checks the limits before the protocol's schemas read the messages, because those schemas read every item. */
function boundsProblem(messages: readonly unknown[]): string | null {
  try {
    messages.forEach(checkInputBounds);
    return null;
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}

/** The parsed body; undefined when there is none or it is not JSON. The protocol has its own error for those. */
async function bodyOf(request: Request): Promise<unknown> {
  if (request.method !== 'POST') return undefined;
  try {
    return await request.clone().json();
  } catch {
    return undefined;
  }
}

/** Data that the SDK passes to the factory unchanged. It does not include the key. */
function authInfoOf({ caller, requestId, selection }: McpCall): AuthInfo {
  return { token: '', clientId: caller.keyId, scopes: [], extra: { caller, requestId, selection } };
}

function callOf(authInfo: AuthInfo | undefined): McpCall {
  return authInfo?.extra as unknown as McpCall;
}
