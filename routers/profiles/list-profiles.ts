/** GET /profiles: every profile of the account, newest first. */
import { z } from 'zod';
import { listProfiles as list } from '../../services/profiles/list-profiles.ts';
import { pagination } from '../schemas/common.ts';
import { Profile } from '../schemas/profile.ts';
import { keyedProcedure } from '../trpc.ts';

const Output = z.strictObject({
  profiles: z.array(Profile).describe('The profiles, newest first.'),
  limit: z.int().describe('The limit that was used.'),
  offset: z.int().describe('The offset that was used.'),
});

export const listProfiles = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/profiles',
      tags: ['Profiles'],
      summary: 'List profiles',
      description: 'Lists the profiles of the account, newest first. Page with limit and offset.',
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
  .input(z.strictObject(pagination))
  .output(Output)
  .query(async ({ ctx, input }) => ({ profiles: await list(ctx.services, ctx.caller, input), ...input }));
