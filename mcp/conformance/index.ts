/**
 * The tools, resources and prompts that the official conformance suite calls by name. They are served on the same
 * endpoint as ours, so that the suite tests this server with its guard, keys and limits. Only with MCP_CONFORMANCE=1,
 * never in production.
 */
import type { McpServer } from '@modelcontextprotocol/server';
import type { Clock } from '../../services/clock.ts';
import type { RequestStates } from '../request-states.ts';
import { registerAskingTools } from './asking-tools.ts';
import { registerContentTools } from './content-tools.ts';
import { registerConformancePrompts } from './prompts.ts';
import { registerPushingTools } from './pushing-tools.ts';
import { registerConformanceResources } from './resources.ts';

export function registerConformance(server: McpServer, clock: Clock, states: RequestStates): void {
  server.server.registerCapabilities({ logging: {}, resources: { subscribe: true } });
  registerContentTools(server, clock);
  registerAskingTools(server, states);
  registerPushingTools(server);
  registerConformanceResources(server);
  registerConformancePrompts(server);
}
