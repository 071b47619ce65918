/** GET /profiles: every profile of the account, newest first. */
import { z } from 'zod';
import { listProfiles as list } from '../../services/profiles/list-profiles.ts';
import { cursorInput, nextCursorOutput, pagination } from '../schemas/common.ts';
import { ExternalId, Profile } from '../schemas/profile.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  externalId: ExternalId.optional().describe('Gives only the profile with this id of yours.'),
  ...pagination,
  cursor: cursorInput(),
});

const Output = z.strictObject({
  profiles: z.array(Profile).describe('The profiles, newest first.'),
  limit: z.int().describe('The limit that was used.'),
  offset: z.int().describe('The offset that was used.'),
  nextCursor: nextCursorOutput(),
});

export const listProfiles = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/profiles',
      tags: ['Profiles'],
      summary: 'List profiles',
      description: 'Lists the profiles of the account, newest first. Page with cursor.',
    },
    access: 'account',
    scope: 'profiles:read',
    errors: ['invalid_request'],
    tool: {
      name: 'list_profiles',
      toolset: 'posting',
      title: 'List profiles',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(async ({ ctx, input }) => {
    const { profiles, nextCursor } = await list(ctx.services, ctx.caller, input);
    return { profiles, limit: input.limit, offset: input.offset, nextCursor };
  });
