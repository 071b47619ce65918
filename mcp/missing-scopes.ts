/** Finds the scopes that the calls and reads in a request need and its access token lacks. */
import { operations } from '../routers/operations.ts';
import type { Scope } from '../services/access/scopes.ts';
import { type McpCall, operationNamed } from './call-operation.ts';

/** Scopes by tool name. Leaves out tools that no token may call, because asking for more scopes would not help. */
const SCOPE_OF = new Map<string, Scope>(
  operations.flatMap(({ meta: { tool, scope } }) => ('none' in tool || scope === null ? [] : [[tool.name, scope]])),
);

/** Operations that read resources, by the prefix of their addresses. */
const READ_BY = new Map([
  ['platforms', 'platforms.list'],
  ['connections', 'connections.list'],
  ['posts', 'posts.get'],
]);

interface Message {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly uri?: unknown };
}

/** @param body parsed JSON: one message, or a batch, of which every message counts */
export function missingScopes(body: unknown, given: ReadonlySet<Scope>): Scope[] {
  const needed = (Array.isArray(body) ? body : [body]).flatMap((message) => neededBy(message) ?? []);
  return [...new Set(needed)].filter((scope) => !given.has(scope));
}

/** Whether a caller may receive the answers of an operation; keys always may. */
export function mayCall({ caller: { scopes } }: McpCall, operation: string): boolean {
  const { scope } = operationNamed(operation).meta;
  return scopes === null || (scope !== null && scopes.has(scope));
}

function neededBy(message: unknown): Scope | undefined {
  const { method, params } = (message ?? {}) as Message;
  if (method === 'tools/call') return SCOPE_OF.get(String(params?.name));
  return method === 'resources/read' ? scopeOfResource(String(params?.uri)) : undefined;
}

function scopeOfResource(uri: string): Scope | undefined {
  const { protocol, host } = URL.parse(uri) ?? {};
  const operation = protocol === 'carillon:' ? READ_BY.get(host ?? '') : undefined;
  return operation === undefined ? undefined : (operationNamed(operation).meta.scope ?? undefined);
}
