/** The server that answers one request: it is made for the caller, used once and thrown away. */
import { type CacheHint, McpServer } from '@modelcontextprotocol/server';
import type { Context } from '../services/context.ts';
import type { McpCall } from './call-operation.ts';
import { registerPrompts } from './prompts.ts';
import { registerResources } from './resources.ts';
import { INSTRUCTIONS, serverInfo } from './server-info.ts';
import { registerTools } from './tools.ts';

/** What changes only with the version: clients may keep it for five minutes, each for itself. */
const FIVE_MINUTES: CacheHint = { ttlMs: 300_000, cacheScope: 'private' };

export function createServer(context: Context, call: McpCall): McpServer {
  const server = new McpServer(serverInfo(context), {
    instructions: INSTRUCTIONS,
    // The lists never change while a process runs, so nothing is ever pushed and no stream stays open.
    capabilities: { tools: { listChanged: false }, resources: { listChanged: false }, prompts: { listChanged: false } },
    cacheHints: {
      'server/discover': FIVE_MINUTES,
      'tools/list': FIVE_MINUTES,
      'prompts/list': FIVE_MINUTES,
      'resources/list': FIVE_MINUTES,
      'resources/templates/list': FIVE_MINUTES,
    },
  });
  registerTools(server, context, call);
  registerResources(server, context, call);
  registerPrompts(server, context, call);
  return server;
}
