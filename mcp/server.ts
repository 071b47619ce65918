/** The server that answers one request: it is created for the caller, used once and discarded. */
import { type CacheHint, McpServer } from '@modelcontextprotocol/server';
import type { ServedCall } from './call-operation.ts';
import { createConfirmations } from './confirmations.ts';
import { type ReadView, registerViews, UI_EXTENSION, VIEW_MIME_TYPE } from './offer-views.ts';
import { createRequestStates } from './request-states.ts';
import { registerPrompts } from './prompts/index.ts';
import { registerResources } from './resources.ts';
import { registerResourceTemplates } from './resource-templates.ts';
import { INSTRUCTIONS, serverInfo } from './server-info.ts';
import { registerSkills } from './skills.ts';
import { registerTools, toolNamed } from './tools.ts';
import type { OperationServices } from '../routers/context.ts';
import type { EventStreamOptions } from '../services/events/stream-places.ts';

export interface ServerOptions {
  /** The document of the REST API. */
  readonly openApi: object;
  readonly readView: ReadView;
  readonly streams: EventStreamOptions;
}

/** For data that changes only with the version: clients may cache it privately for five minutes. */
const FIVE_MINUTES: CacheHint = { ttlMs: 300_000, cacheScope: 'private' };

export function createServerFactory(
  context: OperationServices,
  { openApi, readView }: ServerOptions,
): (call: ServedCall, era: 'legacy' | 'modern') => Promise<McpServer> {
  const states = createRequestStates(context);
  const confirmations = createConfirmations(states);
  return async (call, era) => {
    const server = new McpServer(serverInfo(context), {
      instructions: INSTRUCTIONS,
      // The lists never change while a process runs. Revisions before 2026-07-28 subscribe in a session, which this server
      // does not keep.
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: false, ...(era === 'modern' && { subscribe: true }) },
        prompts: { listChanged: false },
        ...(call.views.length > 0 && { extensions: { [UI_EXTENSION]: { mimeTypes: [VIEW_MIME_TYPE] } } }),
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
    // Most requests call one tool, and registering everything else takes longer than the call.
    if (toolNamed(call.selection, call.tool) !== undefined) return server;
    registerResources(server, context, call, openApi);
    registerResourceTemplates(server, context, call);
    registerPrompts(server, context, call);
    registerSkills(server);
    registerViews(server, call.views, readView);
    if (context.config.mcpConformance) {
      const { registerConformance } = await import('./conformance/index.ts');
      registerConformance(server, context.clock, states);
    }
    return server;
  };
}
