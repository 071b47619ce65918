/** Prompt repurpose_for_platforms: one text, rewritten for each platform it goes to. */
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { McpCall } from '../call-operation.ts';
import { connectionSlugs, quotedSlugs } from './prompt-arguments.ts';
import { request } from './request.ts';
import type { OperationServices } from '../../routers/context.ts';

const Text = z.string().min(1).max(50_000).describe('The text to start from: a post, an article, notes.');

export function registerRepurposeForPlatforms(server: McpServer, context: OperationServices, call: McpCall): void {
  server.registerPrompt(
    'repurpose_for_platforms',
    {
      title: 'Repurpose a text',
      description:
        'Rewrites one text for each of the platforms behind several connections, within the limits of each, and sends the versions as one post once you agree.',
      argsSchema: z.object({ text: Text, connectionSlugs: connectionSlugs(context, call) }),
    },
    ({ text, connectionSlugs: slugs }) =>
      request('One text for several platforms', [
        `Rewrite this text for the connections ${quotedSlugs(slugs)}:`,
        `<text>\n${text}\n</text>`,
        '1. Find the platform of each connection with list_connections, and its limits with get_platform_rules.',
        '2. Write one version for each platform: within its limits, in its tone, in the language of the text, and without facts that the text does not have. Where a platform has threads, a long text may become one.',
        '3. Check them with validate_post: the shortest version as text, the others in textByPlatform.',
        '4. Show me the versions side by side and ask whether to publish now, at a time, or into the queues. Do not send them yet.',
        '5. Once I agree, send all of them with one create_post, and report the result for each connection.',
      ]),
  );
}
