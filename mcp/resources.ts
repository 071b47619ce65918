/** Resources: what a client may put before its model without a call, each the body of a REST answer. */
import { type CacheHint, type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { publicError } from '../errors/error-body.ts';
import type { Operation } from '../routers/operations.ts';
import type { Context } from '../services/context.ts';
import { callOperation, type McpCall, operationNamed } from './call-operation.ts';

interface OperationResource {
  readonly name: string;
  readonly uri: `carillon://${string}`;
  readonly title: string;
  readonly description: string;
  /** Operation without arguments whose answer it is. */
  readonly operation: Operation;
  readonly cacheHint: CacheHint;
}

const resources: readonly OperationResource[] = [
  {
    name: 'platforms',
    uri: 'carillon://platforms',
    title: 'Platform rules',
    description:
      'The platforms of this install with the limits of each: text length and its unit, images, threads, deletes, metrics.',
    operation: operationNamed('platforms.list'),
    cacheHint: { ttlMs: 300_000, cacheScope: 'private' },
  },
  {
    name: 'connections',
    uri: 'carillon://connections',
    title: 'Connections',
    description:
      'The linked accounts and channels that posts can be sent to, newest first, with the slug each one is addressed by.',
    operation: operationNamed('connections.list'),
    cacheHint: { ttlMs: 0, cacheScope: 'private' },
  },
];

const MIME_TYPE = 'application/json';

export function registerResources(server: McpServer, context: Context, call: McpCall): void {
  for (const { name, uri, title, description, operation, cacheHint } of resources) {
    server.registerResource(name, uri, { title, description, mimeType: MIME_TYPE, cacheHint }, async () => {
      const text = JSON.stringify(await read(context, operation, call));
      return { contents: [{ uri, mimeType: MIME_TYPE, text }] };
    });
  }
}

async function read(context: Context, operation: Operation, call: McpCall): Promise<unknown> {
  try {
    return await callOperation(context, operation, {}, call);
  } catch (thrown) {
    const error = publicError(thrown);
    context.log.error({ reqId: call.requestId, err: thrown }, 'a resource could not be read');
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${error.code}: ${error.message}`);
  }
}
