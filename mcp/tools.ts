/** Registers every operation that declares a tool, with the declared name, description and annotations. */
import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import { isLogged } from '../errors/codes.ts';
import { publicError } from '../errors/error-body.ts';
import { type Operation, operations } from '../routers/operations.ts';
import { callOperation, type McpCall, type ServedCall } from './call-operation.ts';
import type { Confirmations } from './confirmations.ts';
import { viewMeta } from './offer-views.ts';
import { progressOf } from './progress.ts';
import { linksTo } from './resource-links.ts';
import { errorResult, successResult } from './tool-results.ts';
import { inputSchema, outputSchema, type ShownShapes } from './tool-schema.ts';
import { isSelected, type ToolSelection } from './tool-selection.ts';
import type { OperationServices } from '../routers/context.ts';

interface Tool {
  readonly name: string;
  /** The question for a person before the tool runs; undefined when no confirmation is needed. */
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

/** What earlier tools in the same list have shown. */
interface Seen {
  readonly shapes: ShownShapes;
  /** Names of tools, by the argument they explain. */
  readonly explained: Map<string, string>;
}

/**
 * The tools of each selection in the router's order, so that a list always has the same bytes. A list shows each answer
 * shape, and explains each argument, once: in the first tool that has it.
 */
const lists = new Map<string, readonly Tool[]>();

function toolsOf(selection: ToolSelection): readonly Tool[] {
  const name = `${selection.toolset} ${selection.readOnly}`;
  const made = lists.get(name) ?? makeTools(selection);
  lists.set(name, made);
  return made;
}

function makeTools(selection: ToolSelection): Tool[] {
  const seen: Seen = { shapes: new Map(), explained: new Map() };
  return operations.flatMap((operation) => {
    const { tool } = operation.meta;
    return 'none' in tool || !isSelected(selection, tool) ? [] : [toTool(operation, tool, seen)];
  });
}

function toTool(
  operation: Operation,
  tool: Exclude<Operation['meta']['tool'], { none: string }>,
  { shapes, explained }: Seen,
): Tool {
  const { description } = operation.meta.openapi;
  if (description === undefined) throw new Error(`${operation.name} is a tool and must have a description`);
  const { name, title, confirmation } = tool;
  const annotations = {
    readOnlyHint: tool.readOnly,
    destructiveHint: tool.destructive,
    idempotentHint: tool.idempotent,
    openWorldHint: tool.openWorld,
  };
  const schemas = {
    inputSchema: inputSchema(operation.input, name, explained),
    outputSchema: outputSchema(operation.output, shapes),
  };
  return { name, confirmation, operation, config: { title, description, annotations, ...schemas } };
}

/** Whether the call names a tool of its selection. */
export function isToolOf({ selection, tool }: ServedCall): boolean {
  return tool !== undefined && toolsOf(selection).some(({ name }) => name === tool);
}

/** Registers the tools of the selection, or only the one that is called. */
export function registerTools(
  server: McpServer,
  context: OperationServices,
  call: ServedCall,
  confirmations: Confirmations,
): void {
  const tools = toolsOf(call.selection);
  const called = tools.filter(({ name }) => name === call.tool);
  for (const tool of called.length > 0 ? called : tools) {
    const config = call.views.length === 0 ? tool.config : { ...tool.config, _meta: viewMeta(tool.name, call.views) };
    server.registerTool(tool.name, config, (input, ctx) =>
      runTool(context, tool, input, { ...call, onProgress: progressOf(context, ctx) }, ctx, confirmations),
    );
  }
}

/** A call that is refused anyway asks no question. */
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
  context: OperationServices,
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
    if (isLogged(error.code)) context.log.error({ reqId: call.requestId, err: thrown }, 'a tool call failed');
    return errorResult(context, operation, error, call.requestId);
  }
}
