/** GET /analytics: the metrics of posts over a window of days. */
import { z } from 'zod';
import { ANALYTICS_PARTS, readAnalytics } from '../../services/analytics/read-analytics.ts';
import { PLATFORM_IDS } from '../../services/platforms/platform-ids.ts';
import { normaliseTag, TAG_MAX, TAGS_MAX } from '../../services/posts/tags.ts';
import { dayInput, slugInput, storableText, textInput, timeZoneInput, uuidInput } from '../schemas/common.ts';
import { Analytics } from '../schemas/metrics.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  from: dayInput('First UTC day; 29 days before `to` when left out, 364 at most.').optional(),
  to: dayInput('Last UTC day; today when left out.').optional(),
  profileId: uuidInput('Only posts of this profile.').optional(),
  platform: z.enum(PLATFORM_IDS).optional().describe('Only posts to this platform, by its platformId.'),
  connectionSlug: storableText(slugInput()).optional().describe('Only posts to this slug.'),
  tag: z
    .array(textInput(TAG_MAX).transform(normaliseTag))
    .max(TAGS_MAX)
    .optional()
    .describe('Only posts that have all of these tags.'),
  include: z
    .array(z.enum(ANALYTICS_PARTS))
    .max(ANALYTICS_PARTS.length)
    .optional()
    .describe('Parts to add: `tags` gives byTag, `times` gives bestTimes.'),
  timezone: timeZoneInput().optional().describe('IANA zone of bestTimes; UTC when left out.'),
});

export const getAnalytics = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/analytics',
      tags: ['Analytics'],
      summary: 'Get analytics',
      description:
        'Adds up posts over UTC days: in all, by day, by platform, and with include by tag and by hour of the week. Each counts once, at its newest read, on the day it went out.',
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
