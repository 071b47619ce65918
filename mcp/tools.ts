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
import { requireScope } from '../services/access/require-scope.ts';
import { callOperation, type McpCall, type ServedCall } from './call-operation.ts';
import type { Confirmations } from './confirmations.ts';
import { viewMeta } from './offer-views.ts';
import { progressOf } from './progress.ts';
import { linksTo, takesLinks } from './resource-links.ts';
import { errorResult, successResult } from './tool-results.ts';
import { inputSchema, outputSchema, type ShownShapes } from './tool-schema.ts';
import { isSelected, type ToolSelection } from './tool-selection.ts';
import type { OperationServices } from '../routers/context.ts';

export interface Tool {
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

/** The tool of a selection; undefined when it has none of this name. */
export function toolNamed(selection: ToolSelection, name: string | undefined): Tool | undefined {
  return toolsOf(selection).find((tool) => tool.name === name);
}

/** Registers the tools of the selection, or only the one that is called. */
export function registerTools(
  server: McpServer,
  context: OperationServices,
  call: ServedCall,
  confirmations: Confirmations,
): void {
  const called = toolNamed(call.selection, call.tool);
  for (const tool of called === undefined ? toolsOf(call.selection) : [called]) {
    const config = call.views.length === 0 ? tool.config : { ...tool.config, _meta: viewMeta(tool.name, call.views) };
    server.registerTool(tool.name, config, async (input, ctx) => {
      const asked = await askFirst(context, { tool, input, call }, ctx, confirmations);
      if (asked !== null) return asked;
      return runTool(context, {
        tool,
        input,
        call: { ...call, onProgress: progressOf(context, ctx) },
        takesLinks: takesLinks(ctx.mcpReq.envelope !== undefined, ctx.http?.req?.headers.get('mcp-protocol-version')),
      });
    });
  }
}

/** A call of one tool. */
interface ToolCall {
  readonly tool: Tool;
  readonly input: unknown;
  readonly call: McpCall;
}

/** A call that is refused anyway asks no question. */
async function askFirst(
  context: OperationServices,
  made: ToolCall,
  ctx: ServerContext,
  confirmations: Confirmations,
): Promise<CallToolResult | InputRequiredResult | null> {
  const { name, confirmation, operation } = made.tool;
  if (confirmation === undefined || !operation.input.safeParse(made.input).success) return null;
  try {
    requireScope(made.call.caller, operation.meta.scope);
    return await confirmations.ask(ctx, { name, confirmation, input: made.input });
  } catch (thrown) {
    return failed(context, made, thrown);
  }
}

/** Never throws: a failure is a result too. */
export async function runTool(
  context: OperationServices,
  { takesLinks: withLinks, ...made }: ToolCall & { readonly takesLinks: boolean },
): Promise<CallToolResult> {
  try {
    const body = await callOperation(context, made.tool.operation, made.input, made.call);
    return successResult(body, withLinks ? linksTo(body) : []);
  } catch (thrown) {
    return failed(context, made, thrown);
  }
}

function failed(context: OperationServices, { tool, input, call }: ToolCall, thrown: unknown): CallToolResult {
  const error = publicError(thrown, input);
  if (isLogged(error.code)) context.log.error({ reqId: call.requestId, err: thrown }, 'a tool call failed');
  return errorResult(context, tool.operation, error, call.requestId);
}
