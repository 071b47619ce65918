/** POST /media/{mediaId}/alt-text: alt text that the model of the install proposes. It stores and sends nothing. */
import { z } from 'zod';
import { proposeAltText as propose } from '../../services/media/propose-alt-text.ts';
import { MediaIdInput } from '../schemas/media.ts';
import { keyedProcedure } from '../procedures.ts';

/** A BCP 47 tag. It goes into a prompt, so nothing else fits. */
const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

const Input = z.strictObject({
  ...MediaIdInput.shape,
  language: z
    .string()
    .regex(LANGUAGE)
    .default('en')
    .describe('Language to write in, as a BCP 47 tag such as en or pt-BR; en when left out.'),
});

const Output = z.strictObject({
  status: z.enum(['proposed', 'failed']).describe('Whether there is a proposal.'),
  altText: z
    .string()
    .nullable()
    .describe('What the image shows, in the words of the model; null when there is no proposal. Not stored.'),
  reason: z.string().nullable().describe('Why there is no proposal; null when there is one.'),
});

export const proposeAltText = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/media/{mediaId}/alt-text',
      tags: ['Media'],
      summary: 'Propose alt text',
      description:
        'Asks the model of the install, if it takes images, what an uploaded image shows. The answer is a proposal for a person to check: it is not stored, and no post gets it.',
    },
    access: 'key',
    scope: 'posts:write',
    errors: ['invalid_request', 'not_found', 'model_cannot_see', 'server_busy'],
    changes: 'nothing',
    tool: {
      name: 'propose_alt_text',
      toolset: 'media',
      title: 'Propose alt text',
      readOnly: true,
      destructive: false,
      idempotent: false,
      openWorld: true,
    },
  })
  .input(Input)
  .output(Output)
  .mutation(({ ctx, input: { mediaId, language } }) => propose(ctx.services, ctx.caller, mediaId, language));
