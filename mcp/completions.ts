/** The values that completion offers: the caller's connections and posts. */
import { callOperation, type McpCall, operationNamed } from './call-operation.ts';
import { mayCall } from './missing-scopes.ts';
import type { OperationServices } from '../routers/context.ts';

const listConnections = operationNamed('connections.list');
const listPosts = operationNamed('posts.list');

interface PostConnection {
  readonly slug: string;
  readonly profileId: string | null;
}

/** @throws ServiceError forbidden when the caller may not see connections */
export async function callerConnections(context: OperationServices, call: McpCall): Promise<readonly PostConnection[]> {
  const answer = await callOperation(context, listConnections, {}, call);
  return (answer as { connections: readonly PostConnection[] }).connections;
}

/**
 * Distinct slugs with this prefix. Completion is optional, so a missing scope does not make it ask the person for more.
 */
export async function slugsBeginning(context: OperationServices, call: McpCall, begun: string): Promise<string[]> {
  if (!mayCall(call, 'connections.list')) return [];
  const slugs = (await callerConnections(context, call)).map(({ slug }) => slug);
  return [...new Set(slugs)].filter((slug) => slug.startsWith(begun));
}

/** Ids of the newest posts with this prefix; empty when the caller may not read posts. */
export async function postIdsBeginning(context: OperationServices, call: McpCall, begun: string): Promise<string[]> {
  if (!mayCall(call, 'posts.list')) return [];
  const answer = await callOperation(context, listPosts, { limit: 100 }, call);
  const { posts } = answer as { posts: readonly { id: string }[] };
  return posts.map(({ id }) => id).filter((id) => id.startsWith(begun));
}
