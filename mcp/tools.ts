/** Every operation that declares a tool, as a tool: named, described and annotated from what it declares. */
import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import { publicError } from '../errors/error-body.ts';
import { type Operation, operations } from '../routers/operations.ts';
import type { Toolset } from '../routers/toolsets.ts';
import type { Context } from '../services/context.ts';
import { callOperation, type McpCall } from './call-operation.ts';
import type { Confirmations } from './confirmations.ts';
import { progressOf } from './progress.ts';
import { linksTo } from './resource-links.ts';
import { errorResult, successResult } from './tool-results.ts';
import { inputSchema, outputSchema } from './tool-schema.ts';
import { isSelected } from './tool-selection.ts';

interface Tool {
  readonly name: string;
  readonly toolset: Toolset;
  readonly readOnly: boolean;
  /** What a person is asked before it runs; undefined for nothing. */
  readonly confirmation: string | undefined;
  readonly operation: Operation;
  readonly config: {
    readonly title: string;
    readonly description: string;
    readonly annotations: ToolAnnotations;
    readonly inputSchema: StandardSchemaWithJSON;
    readonly outputSchema: StandardSchemaWithJSON;
  };
}

/** In the router's order, so that the list is the same bytes every time. */
const tools: readonly Tool[] = allTools();

/** Each toolset shows a shape once, in the first of its tools that gives it, wherever the tools are listed. */
function allTools(): Tool[] {
  const shapes = new Map<Toolset, Set<string>>();
  return operations.flatMap((operation) => {
    const { tool } = operation.meta;
    if ('none' in tool) return [];
    const known = shapes.get(tool.toolset) ?? new Set<string>();
    shapes.set(tool.toolset, known);
    return [toTool(operation, tool, known)];
  });
}

function toTool(
  operation: Operation,
  tool: Exclude<Operation['meta']['tool'], { none: string }>,
  known: Set<string>,
): Tool {
  const { description } = operation.meta.openapi;
  if (description === undefined) throw new Error(`${operation.name} is a tool and must have a description`);
  const { name, toolset, title, readOnly, confirmation } = tool;
  const annotations = {
    readOnlyHint: readOnly,
    destructiveHint: tool.destructive,
    idempotentHint: tool.idempotent,
    openWorldHint: tool.openWorld,
  };
  const schemas = {
    inputSchema: inputSchema(operation.input),
    outputSchema: outputSchema(operation.output, known),
  };
  return { name, toolset, readOnly, confirmation, operation, config: { title, description, annotations, ...schemas } };
}

export function registerTools(server: McpServer, context: Context, call: McpCall, confirmations: Confirmations): void {
  for (const tool of tools) {
    if (!isSelected(call.selection, tool)) continue;
    server.registerTool(tool.name, tool.config, (input, ctx) =>
      runTool(context, tool, input, { ...call, onProgress: progressOf(context, ctx) }, ctx, confirmations),
    );
  }
}

/** Nobody is asked about a call that is refused anyway. */
async function askFirst(
  { name, confirmation, operation }: Tool,
  input: unknown,
  ctx: ServerContext,
  confirmations: Confirmations,
): Promise<CallToolResult | InputRequiredResult | null> {
  if (confirmation === undefined || !operation.input.safeParse(input).success) return null;
  return confirmations.ask(ctx, { name, confirmation, input });
}

async function runTool(
  context: Context,
  tool: Tool,
  input: unknown,
  call: McpCall,
  ctx: ServerContext,
  confirmations: Confirmations,
): Promise<CallToolResult | InputRequiredResult> {
  const { operation } = tool;
  try {
    const asked = await askFirst(tool, input, ctx, confirmations);
    if (asked !== null) return asked;
    const body = await callOperation(context, operation, input, call);
    return successResult(body, linksTo(body, ctx));
  } catch (thrown) {
    const error = publicError(thrown, input);
    if (error.code === 'internal_server_error')
      context.log.error({ reqId: call.requestId, err: thrown }, 'a tool call failed');
    return errorResult(context, operation, error, call.requestId);
  }
}
