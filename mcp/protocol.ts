/**
 * Serves both protocol eras on one endpoint without sessions: 2026-07-28, and the revisions before it. Those allow
 * several messages in one request, and each of them counts.
 */
import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { ServiceError } from '../errors/service-error.ts';
import { checkInputBounds } from '../routers/schemas/input-bounds.ts';
import type { RateState } from '../services/limits/rate-limiter.ts';
import type { McpCall, ServedCall } from './call-operation.ts';
import { missingScopes } from './missing-scopes.ts';
import { sessionIdFor, showsViews, viewsOf } from './offer-views.ts';
import { isListenRequest } from './listen-request.ts';
import { insufficientScope, invalidRequest, tooManyRequests } from './refusals.ts';
import { createServerFactory, type ServerOptions } from './server.ts';
import { createSubscriptions, type StreamedCall } from './subscriptions.ts';
import { isToolOf } from './tools.ts';
import type { OperationServices } from '../routers/context.ts';

/** Largest body of a request. */
export const BODY_MAX_BYTES = 1_048_576;

/** Most messages in one request. */
const BATCH_MAX = 50;

/** A request whose caller is known and whose first message is counted. */
interface AdmittedCall extends McpCall, Pick<StreamedCall, 'expiresAt' | 'connection'> {
  /** Counts this many additional messages. */
  countMore(messages: number): Promise<RateState>;
}

export type Protocol = (request: Request, call: AdmittedCall) => Promise<Response>;

export function createProtocol(context: OperationServices, options: ServerOptions): Protocol {
  const createServer = createServerFactory(context, options);
  const factory: McpServerFactory = ({ authInfo, era }) => createServer(callOf(authInfo), era);
  const subscriptions = createSubscriptions(context, factory, options.streams);
  const handler = createMcpHandler(factory, {
    maxRequestBodySize: BODY_MAX_BYTES,
    onerror: (error) => context.log.warn({ err: error }, 'an MCP request was not served'),
  });
  return async (request, admitted) => {
    const { body, forwarded } = await readMessage(request);
    const messages = Array.isArray(body) ? body.length : 1;
    if (messages > BATCH_MAX)
      return invalidRequest(`A batch may carry at most ${BATCH_MAX} messages; this one has ${messages}.`);
    const problem = boundsProblem(Array.isArray(body) ? body : [body]);
    if (problem !== null) return invalidRequest(problem);
    if (messages > 1) {
      const rate = await admitted.countMore(messages - 1);
      if (!rate.allowed) return tooManyRequests(context, rate);
    }
    const { scopes } = admitted.caller;
    const missing = scopes === null ? [] : missingScopes(body, scopes);
    if (missing.length > 0) return insufficientScope(context, missing);
    const views = showsViews(body, request.headers.get('mcp-session-id'))
      ? viewsOf(admitted.selection, options.readView)
      : [];
    const call: StreamedCall = { ...admitted, tool: calledTool(body), views };
    const passed = { authInfo: authInfoOf(call), ...(body !== undefined && { parsedBody: body }) };
    if (isListenRequest(body) && !(await isLegacyRequest(forwarded, body)))
      return subscriptions.serve(forwarded, call, passed, handler.fetch);
    const isAnsweredAtOnce = isToolOf(call) && !wantsProgress(body) && (await isLegacyRequest(forwarded, body));
    const answer = isAnsweredAtOnce
      ? await answerInJson(await createServer(call, 'legacy'), forwarded, passed)
      : await handler.fetch(forwarded, passed);
    const sessionId = views.length === 0 ? null : sessionIdFor(body, context.random.uuid);
    return sessionId === null ? answer : withSessionId(answer, sessionId);
  };
}

function withSessionId(answer: Response, sessionId: string): Response {
  const headers = new Headers(answer.headers);
  headers.set('mcp-session-id', sessionId);
  return new Response(answer.body, { status: answer.status, headers });
}

/**
 * Answers one call of the revisions before 2026-07-28 with JSON. The SDK would open an event stream for the only
 * message of it, which costs as much as the call.
 */
async function answerInJson(
  server: McpServer,
  request: Request,
  passed: { readonly authInfo: AuthInfo; readonly parsedBody?: unknown },
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, passed);
  } finally {
    await server.close();
  }
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

/** The message of a request, and the request to pass on. */
interface ReadMessage {
  /** The parsed body; undefined when there is none or it is not JSON. The protocol has its own error for those. */
  readonly body: unknown;
  /** Has an unread body only when that is not JSON. */
  readonly forwarded: Request;
}

async function readMessage(request: Request): Promise<ReadMessage> {
  if (request.method !== 'POST') return { body: undefined, forwarded: request };
  const text = await request.text();
  try {
    return { body: JSON.parse(text), forwarded: request };
  } catch {
    const { url, method, headers, signal } = request;
    return { body: undefined, forwarded: new Request(url, { method, headers, signal, body: text }) };
  }
}

/** The tool that a single message calls. */
function calledTool(body: unknown): string | undefined {
  const { method, params } = Object(body) as { method?: unknown; params?: { name?: unknown } | null };
  return method === 'tools/call' && typeof params?.name === 'string' ? params.name : undefined;
}

function wantsProgress(body: unknown): boolean {
  const { params } = Object(body) as { params?: { _meta?: { progressToken?: unknown } | null } | null };
  return params?._meta?.progressToken !== undefined;
}

/** Data that the SDK passes to the factory unchanged. It does not include the key. */
function authInfoOf({ caller, requestId, selection, tool, views }: ServedCall): AuthInfo {
  return { token: '', clientId: caller.keyId, scopes: [], extra: { caller, requestId, selection, tool, views } };
}

function callOf(authInfo: AuthInfo | undefined): ServedCall {
  return authInfo?.extra as unknown as ServedCall;
}
