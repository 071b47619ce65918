/** Prompts: pieces of work a person can start by name. */
import { completable, type McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Context } from '../services/context.ts';
import { callOperation, type McpCall, operationNamed } from './call-operation.ts';

const listConnections = operationNamed('connections.list');

export function registerPrompts(server: McpServer, context: Context, call: McpCall): void {
  const connectionSlug = completable(
    z.string().min(1).max(200).describe('Slug of the connection to write for, as list_connections gives it.'),
    (begun) => slugsBeginning(context, call, begun),
  );
  server.registerPrompt(
    'draft_post',
    {
      title: 'Draft a post',
      description:
        'Writes a post about a topic that fits one connection and its platform’s limits, and shows it for approval before anything is sent.',
      argsSchema: z.object({
        topic: z.string().min(1).max(10_000).describe('What the post is about, in your own words.'),
        connectionSlug,
      }),
    },
    ({ topic, connectionSlug: slug }) => ({
      description: `A draft for ${slug}`,
      messages: [{ role: 'user', content: { type: 'text', text: draftRequest(topic, slug) } }],
    }),
  );
}

function draftRequest(topic: string, slug: string): string {
  return [
    `Draft a post for the connection "${slug}" about this topic:`,
    `<topic>\n${topic}\n</topic>`,
    `1. Find "${slug}" with list_connections and the limits of its platform with get_platform_rules.`,
    '2. Write the text within those limits, in the language of the topic.',
    '3. Show me the text and its length, and ask whether to publish it now or at which time. Do not send it yet.',
    '4. Once I agree, call create_post, and tell me what became of it.',
  ].join('\n\n');
}

async function slugsBeginning(context: Context, call: McpCall, begun: string): Promise<string[]> {
  const { connections } = (await callOperation(context, listConnections, {}, call)) as {
    connections: { slug: string }[];
  };
  return connections.map(({ slug }) => slug).filter((slug) => slug.startsWith(begun));
}
