/** Prompt draft_post: one post for one connection, shown before it is sent. */
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { McpCall } from '../call-operation.ts';
import { connectionSlug, Topic } from './prompt-arguments.ts';
import { request } from './request.ts';
import type { OperationServices } from '../../routers/context.ts';

export function registerDraftPost(server: McpServer, context: OperationServices, call: McpCall): void {
  server.registerPrompt(
    'draft_post',
    {
      title: 'Draft a post',
      description:
        'Writes a post about a topic that fits one connection and its platform’s limits, and shows it for approval before anything is sent.',
      argsSchema: z.object({ topic: Topic, connectionSlug: connectionSlug(context, call) }),
    },
    ({ topic, connectionSlug: slug }) =>
      request(`A draft for ${slug}`, [
        `Draft a post for the connection "${slug}" about this topic:`,
        `<topic>\n${topic}\n</topic>`,
        `1. Find "${slug}" with list_connections and the limits of its platform with get_platform_rules.`,
        '2. Write the text within those limits, in the language of the topic.',
        '3. Show me the text and its length, and ask whether to publish it now or at which time. Do not send it yet.',
        '4. Once I agree, call create_post, and report the result.',
      ]),
  );
}
