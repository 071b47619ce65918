/** The server that answers one request: it is created for the caller, used once and discarded. */
import { type CacheHint, McpServer } from '@modelcontextprotocol/server';
import type { McpCall } from './call-operation.ts';
import { createConfirmations } from './confirmations.ts';
import { createRequestStates } from './request-states.ts';
import { registerPrompts } from './prompts/index.ts';
import { registerResources } from './resources.ts';
import { registerResourceTemplates } from './resource-templates.ts';
import { INSTRUCTIONS, serverInfo } from './server-info.ts';
import { registerSkills } from './skills.ts';
import { registerTools } from './tools.ts';
import type { OperationServices } from '../routers/context.ts';

export interface ServerOptions {
  /** The document of the REST API. */
  readonly openApi: object;
}

/** For data that changes only with the version: clients may cache it privately for five minutes. */
const FIVE_MINUTES: CacheHint = { ttlMs: 300_000, cacheScope: 'private' };

export function createServerFactory(
  context: OperationServices,
  { openApi }: ServerOptions,
): (call: McpCall) => Promise<McpServer> {
  const states = createRequestStates(context);
  const confirmations = createConfirmations(states);
  return async (call) => {
    const server = new McpServer(serverInfo(context), {
      instructions: INSTRUCTIONS,
      // The lists never change while a process runs, so the server sends no notifications and keeps no stream open.
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: false },
        prompts: { listChanged: false },
      },
      requestState: { verify: states.verify },
      cacheHints: {
        'server/discover': FIVE_MINUTES,
        'tools/list': FIVE_MINUTES,
        'prompts/list': FIVE_MINUTES,
        'resources/list': FIVE_MINUTES,
        'resources/templates/list': FIVE_MINUTES,
      },
    });
    registerTools(server, context, call, confirmations);
    registerResources(server, context, call, openApi);
    registerResourceTemplates(server, context, call);
    registerPrompts(server, context, call);
    registerSkills(server);
    if (context.config.mcpConformance) {
      const { registerConformance } = await import('./conformance/index.ts');
      registerConformance(server, context.clock, states);
    }
    return server;
  };
}
