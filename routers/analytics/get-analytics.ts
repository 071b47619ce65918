/** GET /analytics: the metrics of posts over a window of days. */
import { z } from 'zod';
import { readAnalytics } from '../../services/analytics/read-analytics.ts';
import { PLATFORM_IDS } from '../../services/platforms/platform-ids.ts';
import { dayInput, slugInput, storableText, uuidInput } from '../schemas/common.ts';
import { Analytics } from '../schemas/metrics.ts';
import { keyedProcedure } from '../trpc.ts';

const Input = z.strictObject({
  from: dayInput('First UTC day; 29 days before `to` when left out, 364 at most.').optional(),
  to: dayInput('Last UTC day; today when left out.').optional(),
  profileId: uuidInput('Only posts of this profile.').optional(),
  platform: z.enum(PLATFORM_IDS).optional().describe('Gives only posts to this platform, by its platformId.'),
  connectionSlug: storableText(slugInput()).optional().describe('Only posts to this slug.'),
});

export const getAnalytics = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/analytics',
      tags: ['Analytics'],
      summary: 'Get analytics',
      description:
        'Adds up posts over UTC days: in all, by day and by platform. A post counts once, at its newest read, on the day it went out.',
    },
    access: 'key',
    scope: 'analytics:read',
    errors: ['invalid_request'],
    tool: {
      name: 'get_analytics',
      toolset: 'posting',
      title: 'Get analytics',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(z.strictObject(Analytics))
  .query(({ ctx, input }) => readAnalytics(ctx.services, ctx.caller, input));
