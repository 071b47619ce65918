/** Requests for approval on the wire (docs/contract/approvals.md). */
import { z } from 'zod';
import { APPROVAL_RULES } from '../../entities/approval-actors.ts';
import { ALLOWANCE_POSTS_MAX } from '../../services/approvals/give-allowance.ts';
import { ApprovalFields } from '../../services/events/event-payloads.ts';
import { instantInput, uuidInput, uuidOutput } from './common.ts';

export const Approval = ApprovalFields.meta({
  id: 'Approval',
  description: 'A request for the approval of a post, and what was decided.',
});

const Content = z.strictObject({
  text: z.string().describe('Text of the post.'),
  thread: z.array(z.string()).describe('Replies under the post, in order.'),
  firstComment: z.string().nullable().describe('Comment under the post; null for none.'),
  media: z
    .array(
      z.strictObject({
        id: uuidOutput('Id of the image.'),
        altText: z.string().nullable().describe('What the image shows; null when nothing was said.'),
      }),
    )
    .describe('Images, in order.'),
});

export const ListedApproval = z
  .strictObject({
    id: uuidOutput('Id of the request, for the cursor.'),
    postId: uuidOutput('Post that waits.'),
    connectionSlug: z.string().describe('Slug of the connection it goes to.'),
    platformId: z.string().describe('Platform it goes to.'),
    profileId: uuidOutput('Profile of the post; null for the account’s own.').nullable(),
    approval: Approval,
    content: Content.describe('What is to go out.'),
    previousContent: Content.nullable().describe(
      'What the request before this one for the same post was about; null for the first.',
    ),
  })
  .meta({ id: 'ListedApproval', description: 'A request for approval in a list.' });

/** The request that is decided on. */
export const decisionFields = {
  postId: uuidInput('Id of the post that waits, as list_approvals gives it.'),
  requestedAt: instantInput(
    'requestedAt of the request that was read. A newer request is then not decided on by mistake.',
  ).optional(),
};

export const NextPosts = z
  .strictObject({
    posts: z.int().min(1).max(ALLOWANCE_POSTS_MAX).describe(`How many further posts, 1 to ${ALLOWANCE_POSTS_MAX}.`),
    until: instantInput('Until when, at most 24 hours ahead. Left out, 24 hours.').optional(),
  })
  .describe('Also lets the next posts of the same key or agent go out without asking; replaces an earlier allowance.');

export const ApprovalRuleInput = z
  .enum(APPROVAL_RULES)
  .describe('required: what the key wants to send waits for an owner. Left out, as for what makes the key.');
