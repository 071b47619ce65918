/**
 * POST /posts/validate: says what POST /posts would do, without doing it
 * (docs/contract/connections.md#linking-with-credentials).
 */
import { z } from 'zod';
import { validatePosts } from '../../services/posts/validate-posts.ts';
import { IMAGE_CHANGES } from '../../services/media/preview-images.ts';
import { ItemError, timestampOutput } from '../schemas/common.ts';
import { mediaOf, postBodyFields, replacesField } from '../schemas/post-body.ts';
import { BrokenRule } from '../schemas/policy.ts';
import { keyedProcedure } from '../procedures.ts';

const Part = z.strictObject({
  length: z.int(),
  maxLength: z.int(),
  reason: z.string().optional().describe('Why it does not fit.'),
});

const ImageOutcome = z.strictObject({
  id: z.string(),
  width: z.int(),
  height: z.int(),
  changes: z.array(z.enum(IMAGE_CHANGES)),
  reason: z.string().optional().describe('Why it is refused.'),
});

const Validation = z
  .strictObject({
    connectionSlug: z.string().describe('Slug that the result is for.'),
    ok: z.boolean().describe('Whether a send would be accepted, as far as this is known without calling the platform.'),
    error: ItemError.nullable().describe('The error a send would give; null when it would be accepted.'),
    text: z.string().describe('The text that would go out.'),
    length: z.int().nullable().describe('Its length as the platform counts; null when the slug matches no connection.'),
    maxLength: z.int().nullable().describe('The most the connection takes; null when the slug matches no connection.'),
    segments: z.int().optional().describe('SMS: the segments it is cut into, each of which is paid for.'),
    parts: z.array(Part).describe('The text, then each reply of the thread, as the platform counts.'),
    images: z.array(ImageOutcome).describe('Each image after scaling, and what a send changes.'),
    scheduledFor: timestampOutput(
      'When it would go out; null for at once, and for a slot that is taken only once a person has approved.',
    ).nullable(),
    rules: z.array(BrokenRule).describe('The rules of the caller’s policy that stop it.'),
  })
  .meta({ id: 'Validation', description: 'What a send to one connection would do.' });

export const validatePost = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/posts/validate',
      tags: ['Posts'],
      summary: 'Validate posts',
      description:
        'Checks a post against each connection as a send would, and stores nothing: length, images, thread, time.',
    },
    access: 'key',
    scope: 'posts:read',
    errors: ['invalid_request', 'invalid_media', 'not_found'],
    tool: {
      name: 'validate_post',
      toolset: 'posting',
      title: 'Validate a post',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(z.strictObject({ ...postBodyFields, ...replacesField }))
  .output(
    z.strictObject({ results: z.array(Validation).describe('One result per connection, in the order of the slugs.') }),
  )
  .mutation(async ({ ctx, input }) => ({
    results: await validatePosts(ctx.services, ctx.caller, { ...input, media: mediaOf(input) }),
  }));
