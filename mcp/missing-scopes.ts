/** Finds the scopes that the calls, reads and subscriptions in a request need and its access token lacks. */
import { operations } from '../routers/operations.ts';
import type { Scope } from '../services/access/scopes.ts';
import { type McpCall, operationNamed } from './call-operation.ts';
import { subscribedUris } from './listen-request.ts';

/** Scopes by tool name. Leaves out tools that no token may call, because asking for more scopes would not help. */
const SCOPE_OF = new Map<string, Scope>(
  operations.flatMap(({ meta: { tool, scope } }) => ('none' in tool || scope === null ? [] : [[tool.name, scope]])),
);

/** Operations that read resources, by the prefix of their addresses. */
const READ_BY = new Map([
  ['platforms', 'platforms.list'],
  ['connections', 'connections.list'],
  ['posts', 'posts.get'],
  ['approvals', 'approvals.list'],
]);

interface Message {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly uri?: unknown };
}

/** @param body parsed JSON: one message, or a batch, of which every message counts */
export function missingScopes(body: unknown, given: ReadonlySet<Scope>): Scope[] {
  const needed = (Array.isArray(body) ? body : [body]).flatMap(neededBy);
  return [...new Set(needed)].filter((scope) => !given.has(scope));
}

/** Whether a caller may receive the answers of an operation; keys always may. */
export function mayCall({ caller: { scopes } }: McpCall, operation: string): boolean {
  const { scope } = operationNamed(operation).meta;
  return scopes === null || (scope !== null && scopes.has(scope));
}

function neededBy(message: unknown): Scope[] {
  const { method, params } = (message ?? {}) as Message;
  if (method === 'tools/call') return listed(SCOPE_OF.get(String(params?.name)));
  const read = method === 'resources/read' ? [String(params?.uri)] : subscribedUris(message);
  return read.flatMap((uri) => listed(scopeOfResource(uri)));
}

function listed(scope: Scope | undefined): Scope[] {
  return scope === undefined ? [] : [scope];
}

function scopeOfResource(uri: string): Scope | undefined {
  const { protocol, host } = URL.parse(uri) ?? {};
  const operation = protocol === 'carillon:' ? READ_BY.get(host ?? '') : undefined;
  return operation === undefined ? undefined : (operationNamed(operation).meta.scope ?? undefined);
}
