/** POST /post/{connectionSlug}: the original endpoint, which sends one plain text to one connection. */
import { z } from 'zod';
import { createSimplePost as post } from '../../services/posts/create-simple-post.ts';
import { dateTimeInput, slugInput, timestampOutput, uuidOutput } from '../schemas/common.ts';
import { PostText } from '../schemas/post.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  connectionSlug: slugInput().describe('Slug of the connection to post to.'),
  text: PostText,
  scheduled_for: dateTimeInput('When to send: in the future, at most 30 days ahead. Left out, now.').optional(),
  rewrite: z.boolean().optional().describe('Whether AI rewrites the text; left out, connection and account decide.'),
});

const Output = z.union([
  z.strictObject({
    platform: z.string().describe('Platform the post is on.'),
    link: z.string().nullable().describe('Permalink; null when the platform returned none.'),
  }),
  z.strictObject({ platform: z.string().describe('Messaging channel the post went to.'), sent: z.literal(true) }),
  z.strictObject({ scheduled: z.literal(true), scheduled_for: timestampOutput('When the post will go out.') }),
  z.strictObject({
    approval: z.literal('pending').describe('The key needs approval: nothing has gone out, and an owner decides.'),
    post_id: uuidOutput('Draft that waits.'),
  }),
]);

export const createSimplePost = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/post/{connectionSlug}',
      tags: ['Posts'],
      summary: 'Post a plain text',
      description:
        'Publishes the request body, as plain text, to one connection. POST /posts does more and is preferred for new integrations.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: [
      'invalid_request',
      'invalid_connection',
      'unsupported_content_type',
      'stopped',
      'policy_refused',
      'payment_method_required',
      'spend_cap_reached',
      'connection_limit_exceeded',
      'fair_use_reached',
      'limit_exceeded',
      'platform_rejected',
      'reconnect_required',
      'platform_unavailable',
    ],
    changes: { type: 'post', setsSubject: true },
    tool: { none: 'create_post does the same and more.' },
    rawBody: {
      field: 'text',
      contentTypes: ['text/plain', 'application/x-www-form-urlencoded'],
      expected: 'text/plain, application/x-www-form-urlencoded, or none',
      query: ['scheduled_for', 'rewrite'],
    },
  })
  .input(Input)
  .output(Output)
  .mutation(({ ctx, input }) => post(ctx.services, ctx.caller, input, ctx.setSubject));
