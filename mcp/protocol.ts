/**
 * Serves both protocol eras on one endpoint without sessions: 2026-07-28, and the revisions before it. Those allow
 * several messages in one request, and each of them counts.
 */
import type { IncomingHttpHeaders } from 'node:http';
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
import { type Message, toWebRequest } from './message.ts';
import { missingScopes } from './missing-scopes.ts';
import { sessionIdFor, showsViews, viewsOf } from './offer-views.ts';
import { isListenRequest } from './listen-request.ts';
import { namedUris } from './named-uris.ts';
import { insufficientScope, invalidRequest, tooManyRequests } from './refusals.ts';
import { answerPlainCall, MODERN, plainCallOf } from './plain-calls.ts';
import { createServerFactory, type ServerOptions } from './server.ts';
import { serverInfo } from './server-info.ts';
import { type ClientConnection, createSubscriptions, type StreamedCall } from './subscriptions.ts';
import { toolNamed } from './tools.ts';
import type { OperationServices } from '../routers/context.ts';

/** Largest body of a request. */
export const BODY_MAX_BYTES = 1_048_576;

/** Most messages in one request. */
const BATCH_MAX = 50;

/** Most characters in the address of a resource. The SDK fails on a length that fits into a body. */
const URI_MAX = 2_000;

/** A request whose caller is known and whose first message is counted. */
interface AdmittedCall extends McpCall, Pick<StreamedCall, 'expiresAt'> {
  /** Counts this many additional messages. */
  readonly countMore: (messages: number) => Promise<RateState>;
  /** The connection of the request, for an answer that may be a stream. */
  readonly connect: () => ClientConnection;
}

/** The JSON of a 200, or the answer of the SDK or of a refusal. */
export type ProtocolAnswer = string | Response;

export type Protocol = (message: Message, call: AdmittedCall) => Promise<ProtocolAnswer>;

export function createProtocol(context: OperationServices, options: ServerOptions): Protocol {
  const createServer = createServerFactory(context, options);
  const factory: McpServerFactory = ({ authInfo, era }) => createServer(callOf(authInfo), era);
  const subscriptions = createSubscriptions(context, factory, options.streams);
  const info = serverInfo(context);
  const handler = createMcpHandler(factory, {
    maxRequestBodySize: BODY_MAX_BYTES,
    onerror: (error) => context.log.warn({ err: error }, 'an MCP request was not served'),
  });
  return async (message, admitted) => {
    const { body } = message;
    const refusal = await refusalOf(context, message, admitted);
    if (refusal !== null) return refusal;
    const plain = plainCallOf(message, admitted.selection);
    if (plain !== null) return answerPlainCall(context, plain, admitted, info);
    const connection = admitted.connect();
    const request = toWebRequest(message, connection.left);
    const views = showsViews(body, request.headers.get('mcp-session-id'))
      ? viewsOf(admitted.selection, options.readView)
      : [];
    const call: StreamedCall = { ...admitted, connection, tool: calledTool(body), views };
    const passed = { authInfo: authInfoOf(call), ...(body !== undefined && { parsedBody: body }) };
    if (isListenRequest(body) && !(await isLegacyRequest(request, body)))
      return subscriptions.serve(request, call, passed, handler.fetch);
    const isTool = toolNamed(call.selection, call.tool) !== undefined;
    const isAnsweredAtOnce = isTool && !wantsProgress(body) && (await isLegacyRequest(request, body));
    const answer = isAnsweredAtOnce
      ? await answerInJson(await createServer(call, 'legacy'), request, passed)
      : await handler.fetch(request, passed);
    const sessionId = views.length === 0 ? null : sessionIdFor(body, context.random.uuid);
    return sessionId === null ? answer : withSessionId(answer, sessionId);
  };
}

/** The limits of a request, and the scopes that it needs. Counts the messages of a batch after the first. */
async function refusalOf(
  context: OperationServices,
  { body, request: { headers } }: Message,
  { caller, countMore, selection }: AdmittedCall,
): Promise<Response | null> {
  const messages = Array.isArray(body) ? body.length : 1;
  if (messages > BATCH_MAX)
    return invalidRequest(`A batch may carry at most ${BATCH_MAX} messages; this one has ${messages}.`);
  const problem = boundsProblem(Array.isArray(body) ? body : [body]);
  if (problem !== null) return invalidRequest(problem);
  if (messages > 1) {
    const rate = await countMore(messages - 1);
    if (!rate.allowed) return tooManyRequests(context, rate);
  }
  const missing = missingScopes(body, caller, selection);
  if (missing.length === 0) return null;
  return insufficientScope(
    context,
    replacesScopes(headers) ? [...(caller.scopes ?? []), ...missing] : missing,
    missing,
  );
}

/** Clients of the revisions before 2026-07-28 ask for the scopes of a challenge alone, and lose those that they had. */
function replacesScopes({ 'mcp-protocol-version': revision }: IncomingHttpHeaders): boolean {
  return revision !== undefined && revision !== MODERN;
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
    const long = messages.flatMap(namedUris).find(({ length }) => length > URI_MAX);
    if (long === undefined) return null;
    return `The address of a resource has at most ${URI_MAX} characters; this one has ${long.length}.`;
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
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
