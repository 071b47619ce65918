/** Finds the scopes that the calls, reads and subscriptions in a request need and its access token lacks. */
import type { Caller } from '../services/access/caller.ts';
import { mayGet } from '../services/access/require-scope.ts';
import type { Scope } from '../services/access/scopes.ts';
import { type McpCall, operationNamed } from './call-operation.ts';
import { namedUris } from './named-uris.ts';
import type { ToolSelection } from './tool-selection.ts';
import { toolNamed } from './tools.ts';

/** Operations that read resources, by the prefix of their addresses. */
const READ_BY = new Map([
  ['platforms', 'platforms.list'],
  ['connections', 'connections.list'],
  ['posts', 'posts.get'],
  ['approvals', 'approvals.list'],
]);

interface Message {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown } | null;
}

/**
 * Leaves out what the caller cannot get: the operation refuses it then, and says why.
 *
 * @param body parsed JSON: one message, or a batch, of which every message counts
 * @param selection tools of the path; a call of any other tool fails with every scope, so it needs none
 */
export function missingScopes(body: unknown, caller: Caller, selection: ToolSelection): Scope[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  const needed = messages.flatMap((message) => neededBy(message, selection));
  return [...new Set(needed)].filter((scope) => caller.scopes?.has(scope) === false && mayGet(caller, scope));
}

/** Whether a caller may receive the answers of an operation; keys always may. */
export function mayCall({ caller: { scopes } }: McpCall, operation: string): boolean {
  const { scope } = operationNamed(operation).meta;
  return scopes === null || (scope !== null && scopes.has(scope));
}

function neededBy(message: unknown, selection: ToolSelection): Scope[] {
  const { method, params } = (message ?? {}) as Message;
  const scopes =
    method === 'tools/call' ? [scopeOfTool(selection, params?.name)] : namedUris(message).map(scopeOfResource);
  return scopes.filter((scope) => scope !== undefined);
}

/** None for tools that no token may call, because asking for more scopes would not help. */
function scopeOfTool(selection: ToolSelection, name: unknown): Scope | undefined {
  // The SDK refuses a name that is no text.
  if (typeof name !== 'string') return undefined;
  return toolNamed(selection, name)?.operation.meta.scope ?? undefined;
}

function scopeOfResource(uri: string): Scope | undefined {
  const { protocol, host } = URL.parse(uri) ?? {};
  const operation = protocol === 'carillon:' ? READ_BY.get(host ?? '') : undefined;
  return operation === undefined ? undefined : (operationNamed(operation).meta.scope ?? undefined);
}
