/** Prompts: tasks that a person can start by name. */
import type { McpServer } from '@modelcontextprotocol/server';
import type { McpCall } from '../call-operation.ts';
import { registerDraftCampaign } from './draft-campaign.ts';
import { registerDraftPost } from './draft-post.ts';
import { registerRepurposeForPlatforms } from './repurpose-for-platforms.ts';
import { registerWeeklyReview } from './weekly-review.ts';
import type { OperationServices } from '../../routers/context.ts';

const prompts = [registerDraftPost, registerDraftCampaign, registerRepurposeForPlatforms, registerWeeklyReview];

export function registerPrompts(server: McpServer, context: OperationServices, call: McpCall): void {
  for (const register of prompts) register(server, context, call);
}
