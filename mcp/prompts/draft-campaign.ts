/** Prompt draft_campaign: several posts over several days, kept as drafts until they are approved. */
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { McpCall } from '../call-operation.ts';
import { connectionSlugs, quotedSlugs, Topic } from './prompt-arguments.ts';
import { request } from './request.ts';
import type { OperationServices } from '../../routers/context.ts';

const Days = z
  .string()
  .regex(/^([1-9]|[12]\d|30)$/, 'a number of days from 1 to 30')
  .optional()
  .describe('Over how many days the posts are spread, 1 to 30. Left out, 7.');

export function registerDraftCampaign(server: McpServer, context: OperationServices, call: McpCall): void {
  server.registerPrompt(
    'draft_campaign',
    {
      title: 'Draft a campaign',
      description:
        'Plans a series of posts about a topic for several connections and days, checks each against its platform, and schedules them once you agree.',
      argsSchema: z.object({ topic: Topic, connectionSlugs: connectionSlugs(context, call), days: Days }),
    },
    ({ topic, connectionSlugs: slugs, days = '7' }) =>
      request(`A campaign of ${days} days`, [
        `Plan a series of posts over the next ${days} days for the connections ${quotedSlugs(slugs)} about this topic:`,
        `<topic>\n${topic}\n</topic>`,
        '1. Look up the connections with list_connections, their limits with get_platform_rules, and with get_queue what is planned on them already.',
        '2. Write a plan: for each post its day and time in the connection’s time zone, its connections and its text. Say the topic in different ways; do not repeat a text.',
        '3. Check every text with validate_post and mend what it refuses.',
        '4. Show me the plan as a table and ask what to change. Schedule nothing yet.',
        '5. Once I agree, call create_post with scheduledFor and a separate idempotencyKey for each post, and report each failed entry of results.',
      ]),
  );
}
