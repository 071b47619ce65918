/**
 * Calls an operation of the router for a tool or a resource. It is the same procedure that REST calls; the request has
 * been counted already.
 */
import { type Operation, operations } from '../routers/operations.ts';
import type { OperationContext, OperationServices } from '../routers/context.ts';
import { runOperation } from '../routers/run-operation.ts';
import type { Caller } from '../services/access/caller.ts';
import type { ToolSelection } from './tool-selection.ts';
import type { ChatView } from './views.ts';

/** The caller, the request and its path. */
export interface McpCall {
  readonly caller: Caller;
  readonly requestId: string;
  readonly selection: ToolSelection;
  /** Receives the operation's progress if the client asked for it. */
  readonly onProgress?: OperationContext['onProgress'];
}

/** A call, with what the server for it must be able to do. */
export interface ServedCall extends McpCall {
  /** The tool that the only message calls; undefined for any other message. */
  readonly tool: string | undefined;
  /** The views that the client is offered; none when it cannot show any. */
  readonly views: readonly ChatView[];
}

/** @throws any error of the procedure; errors/error-body.ts decides what the caller may know of it */
export function callOperation(
  context: OperationServices,
  operation: Operation,
  input: unknown,
  call: McpCall,
): Promise<unknown> {
  const { caller, requestId, onProgress } = call;
  return runOperation(operation, input, { services: context, caller, requestId, surface: 'mcp', onProgress });
}

/** @param name dotted path in the router */
export function operationNamed(name: string): Operation {
  const operation = operations.find((candidate) => candidate.name === name);
  if (operation === undefined) throw new Error(`No operation is named ${name}`);
  return operation;
}
