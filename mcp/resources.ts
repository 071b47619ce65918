/** Resources: data that a client can give its model without a tool call. Each is the body of a REST answer. */
import type { CacheHint, McpServer } from '@modelcontextprotocol/server';
import { callOperation, type McpCall, operationNamed } from './call-operation.ts';
import { MIME_TYPE, readResource } from './read-resource.ts';
import { APPROVALS_URI, CONNECTIONS_URI } from './resource-uris.ts';
import type { OperationServices } from '../routers/context.ts';

interface FixedResource {
  readonly name: string;
  readonly uri: `carillon://${string}`;
  readonly title: string;
  readonly description: string;
  /** The operation without arguments that answers it; null for the API document, which is passed in. */
  readonly operation: string | null;
  readonly cacheHint: CacheHint;
}

const FIVE_MINUTES: CacheHint = { ttlMs: 300_000, cacheScope: 'private' };

const resources: readonly FixedResource[] = [
  {
    name: 'platforms',
    uri: 'carillon://platforms',
    title: 'Platform rules',
    description:
      'The platforms of this install with the limits of each: text length and its unit, images, threads, deletes, metrics.',
    operation: 'platforms.list',
    cacheHint: FIVE_MINUTES,
  },
  {
    name: 'connections',
    uri: CONNECTIONS_URI,
    title: 'Connections',
    description:
      'The linked accounts and channels that posts can be sent to, newest first, with the slug each one is addressed by.',
    operation: 'connections.list',
    cacheHint: { ttlMs: 0, cacheScope: 'private' },
  },
  {
    name: 'approvals',
    uri: APPROVALS_URI,
    title: 'Pending approvals',
    description: 'The posts that wait for the approval of a person, oldest first, with what goes out and who asked.',
    operation: 'approvals.list',
    cacheHint: { ttlMs: 0, cacheScope: 'private' },
  },
  {
    name: 'openapi',
    uri: 'carillon://openapi',
    title: 'REST API document',
    description:
      'The OpenAPI document of the REST API, for writing a program that calls the API. It is long; read it only for that.',
    operation: null,
    cacheHint: FIVE_MINUTES,
  },
];

export function registerResources(server: McpServer, context: OperationServices, call: McpCall, openApi: object): void {
  for (const { name, uri, title, description, operation, cacheHint } of resources) {
    const read = async () =>
      operation === null ? openApi : callOperation(context, operationNamed(operation), {}, call);
    server.registerResource(name, uri, { title, description, mimeType: MIME_TYPE, cacheHint }, () =>
      readResource(context, uri, call, read),
    );
  }
}
