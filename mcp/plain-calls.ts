/**
 * Answers the ordinary request, one call of one tool, without a server of the SDK. The SDK creates, connects and closes a
 * server for each request, which takes longer than the call itself. What is not ordinary is left to the SDK: other messages,
 * questions to a person, progress, fields that we do not know, and every mistake. The answers are the same
 * (docs/decisions/0116-answer-plain-tool-calls-ourselves.md).
 */
import type { IncomingHttpHeaders } from 'node:http';
import {
  type CallToolResult,
  classifyInboundRequest,
  type Implementation,
  isJsonContentType,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import type { OperationServices } from '../routers/context.ts';
import type { McpCall } from './call-operation.ts';
import type { Message } from './message.ts';
import { takesLinks } from './resource-links.ts';
import { runTool, type Tool, toolNamed } from './tools.ts';
import type { ToolSelection } from './tool-selection.ts';

/** A call that needs nothing of the SDK but its judgement which revision it is of. */
interface PlainCall {
  readonly id: string | number;
  readonly tool: Tool;
  readonly input: unknown;
  /** Whether it is of 2026-07-28. */
  readonly isModern: boolean;
  /** The revision in its header. */
  readonly revision: string | undefined;
}

/** The revision whose requests carry an envelope. */
export const MODERN = '2026-07-28';

/** Fields of a plain call. Any other may ask for something. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const PARAMETERS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta']);
const ENVELOPE: ReadonlySet<string> = new Set([
  'io.modelcontextprotocol/protocolVersion',
  'io.modelcontextprotocol/clientInfo',
  'io.modelcontextprotocol/clientCapabilities',
]);

/** The plain call that a message is; null for all that the SDK answers. */
export function plainCallOf({ request, body }: Message, selection: ToolSelection): PlainCall | null {
  const { headers } = request;
  if (!hasOnly(body, MESSAGE_FIELDS) || body['method'] !== 'tools/call') return null;
  const { jsonrpc, id, params } = body;
  if (jsonrpc !== '2.0' || !isId(id) || !hasOnly(params, PARAMETERS)) return null;
  const { name, arguments: input = {}, _meta: meta = {} } = params;
  if (typeof name !== 'string') return null;
  const tool = toolNamed(selection, name);
  if (tool === undefined || tool.confirmation !== undefined || !isObject(input) || !hasOnly(meta, ENVELOPE))
    return null;
  if (!acceptsBoth(headers) || !isJsonContentType(headers['content-type'])) return null;
  const isModern = isOfRevision(headers, name, meta);
  return isModern === null ? null : { id, tool, input, isModern, revision: headerOf(headers, 'mcp-protocol-version') };
}

/**
 * What the SDK found about headers and envelopes. A client sends the same ones with each call, and to compare them takes
 * a tenth of the time that the SDK needs.
 */
const classified = new Map<string, boolean | null>();
const CLASSIFIED_MAX = 1_000;
/** An envelope beyond this many characters is classified each time. */
const CLASSIFIED_LENGTH_MAX = 2_000;

/** True for 2026-07-28, false for the revisions before it, null for a request that the SDK refuses. */
function isOfRevision(headers: IncomingHttpHeaders, name: string, meta: object): boolean | null {
  const named = [
    headerOf(headers, 'mcp-protocol-version'),
    headerOf(headers, 'mcp-method'),
    headerOf(headers, 'mcp-name'),
  ] as const;
  const key = JSON.stringify([name, meta, ...named]);
  const before = classified.get(key);
  if (before !== undefined) return before;
  const found = classify(named, name, meta);
  if (classified.size >= CLASSIFIED_MAX) classified.clear();
  if (key.length <= CLASSIFIED_LENGTH_MAX) classified.set(key, found);
  return found;
}

function classify(
  [revision, method, toolName]: readonly [string | undefined, string | undefined, string | undefined],
  name: string,
  meta: object,
): boolean | null {
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body: { jsonrpc: '2.0', id: 0, method: 'tools/call', params: { name, _meta: meta } },
    ...(revision !== undefined && { protocolVersionHeader: revision }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    ...(toolName !== undefined && { mcpNameHeader: toolName }),
  });
  if (outcome.kind === 'modern') return revision === MODERN && method !== undefined && toolName === name ? true : null;
  const isKnown = revision === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(revision);
  return outcome.kind === 'legacy' && outcome.reason === 'no-claim' && isKnown ? false : null;
}

/** The JSON of the answer. @param info of this server, which answers of 2026-07-28 name */
export async function answerPlainCall(
  context: OperationServices,
  { id, tool, input, isModern, revision }: PlainCall,
  call: McpCall,
  info: Implementation,
): Promise<string> {
  const result = await runTool(context, { tool, input, call, takesLinks: takesLinks(isModern, revision) });
  const whole = isModern
    ? { ...result, resultType: 'complete', _meta: { ...result['_meta'], [SERVER_INFO_META_KEY]: info } }
    : result;
  return `{"result":${toJson(whole)},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
}

/**
 * The JSON of a result. The first text of a success is the JSON of its structured content already. Each field is written
 * by itself: V8 writes a long text three times as slowly inside of some objects as alone.
 */
function toJson(result: CallToolResult): string {
  const [first] = result.content;
  const fields = Object.entries(result).map(([name, value]) => {
    const isWritten = name === 'structuredContent' && first?.type === 'text';
    return `${JSON.stringify(name)}:${isWritten ? first.text : JSON.stringify(value)}`;
  });
  return `{${fields.join(',')}}`;
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function hasOnly(value: unknown, fields: ReadonlySet<string>): value is Record<string, unknown> {
  return isObject(value) && Object.keys(value).every((field) => fields.has(field));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Node joins a repeated header of these into one text. */
function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  return headers[name]?.toString();
}

/** As the SDK demands of the older revisions. */
function acceptsBoth({ accept = '' }: IncomingHttpHeaders): boolean {
  return accept.includes('application/json') && accept.includes('text/event-stream');
}
