/** The scopes that the calls in a request need and its access token lacks. */
import { operations } from '../routers/operations.ts';
import type { Scope } from '../services/keys/scopes.ts';

/** By name of the tool; tools that no token reaches are not in it, since asking for more would not help. */
const SCOPE_OF = new Map<string, Scope>(
  operations.flatMap(({ meta: { tool, scope } }) => ('none' in tool || scope === null ? [] : [[tool.name, scope]])),
);

/** @param body parsed JSON: one message, or a batch, of which every message counts */
export function missingScopes(body: unknown, given: ReadonlySet<Scope>): Scope[] {
  const needed = (Array.isArray(body) ? body : [body]).flatMap((message) => neededBy(message) ?? []);
  return [...new Set(needed)].filter((scope) => !given.has(scope));
}

function neededBy(message: unknown): Scope | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
  return method === 'tools/call' ? SCOPE_OF.get(String(params?.name)) : undefined;
}
