/** Resources for one object of the caller, with completion of its id or slug. */
import { type CacheHint, type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { callOperation, type McpCall, operationNamed } from './call-operation.ts';
import { callerConnections, postIdsBeginning, slugsBeginning } from './completions.ts';
import { MIME_TYPE, readResource } from './read-resource.ts';
import { CONNECTION_URI, POST_URI } from './resource-uris.ts';
import type { OperationServices } from '../routers/context.ts';

const NO_CACHE: CacheHint = { ttlMs: 0, cacheScope: 'private' };

const getPost = operationNamed('posts.get');

export function registerResourceTemplates(server: McpServer, context: OperationServices, call: McpCall): void {
  registerPost(server, context, call);
  registerConnection(server, context, call);
}

function registerPost(server: McpServer, context: OperationServices, call: McpCall): void {
  const complete = { postId: (begun: string) => postIdsBeginning(context, call, begun) };
  const config = {
    title: 'Post',
    description:
      'One post by its id, as get_post gives it: its text, its state, its permalink, and the error if it failed.',
    mimeType: MIME_TYPE,
    cacheHint: NO_CACHE,
  };
  server.registerResource(
    'post',
    new ResourceTemplate(POST_URI, { list: undefined, complete }),
    config,
    (uri, { postId }) => readResource(context, uri.href, call, () => callOperation(context, getPost, { postId }, call)),
  );
}

function registerConnection(server: McpServer, context: OperationServices, call: McpCall): void {
  const complete = { slug: (begun: string) => slugsBeginning(context, call, begun) };
  const config = {
    title: 'Connection',
    description:
      'One linked account or channel by its slug, as list_connections gives it. Where a profile has one of the same slug, your own is given.',
    mimeType: MIME_TYPE,
    cacheHint: NO_CACHE,
  };
  const read = async (slug: unknown) => {
    const named = (await callerConnections(context, call)).filter((candidate) => candidate.slug === slug);
    const connection = named.find(({ profileId }) => profileId === null) ?? named[0];
    return connection && { connection };
  };
  server.registerResource(
    'connection',
    new ResourceTemplate(CONNECTION_URI, { list: undefined, complete }),
    config,
    (uri, { slug }) => readResource(context, uri.href, call, () => read(slug)),
  );
}
