/** Every operation that declares a tool, as a tool: named, described and annotated from what it declares. */
import type { CallToolResult, McpServer, StandardSchemaWithJSON, ToolAnnotations } from '@modelcontextprotocol/server';
import { publicError } from '../errors/error-body.ts';
import { type Operation, operations } from '../routers/operations.ts';
import type { Context } from '../services/context.ts';
import { callOperation, type McpCall } from './call-operation.ts';
import { errorResult, successResult } from './tool-results.ts';
import { inputSchema, outputSchema } from './tool-schema.ts';

interface Tool {
  readonly name: string;
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
const tools: readonly Tool[] = operations.flatMap(toTool);

function toTool(operation: Operation): Tool[] {
  const { tool, openapi } = operation.meta;
  if ('none' in tool) return [];
  if (openapi.description === undefined) throw new Error(`${operation.name} is a tool and must have a description`);
  const config = {
    title: tool.title,
    description: openapi.description,
    annotations: {
      readOnlyHint: tool.readOnly,
      destructiveHint: tool.destructive,
      idempotentHint: tool.idempotent,
      openWorldHint: tool.openWorld,
    },
    inputSchema: inputSchema(operation.input),
    outputSchema: outputSchema(operation.output),
  };
  return [{ name: tool.name, operation, config }];
}

export function registerTools(server: McpServer, context: Context, call: McpCall): void {
  for (const { name, operation, config } of tools) {
    server.registerTool(name, config, (input) => runTool(context, operation, input, call));
  }
}

async function runTool(context: Context, operation: Operation, input: unknown, call: McpCall): Promise<CallToolResult> {
  try {
    return successResult(await callOperation(context, operation, input, call));
  } catch (thrown) {
    const error = publicError(thrown, input);
    if (error.code === 'internal_server_error')
      context.log.error({ reqId: call.requestId, err: thrown }, 'a tool call failed');
    return errorResult(context, operation, error, call.requestId);
  }
}
