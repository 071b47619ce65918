/** GET /health/history: the uptime of up to 90 days. Needs no key. */
import { z } from 'zod';
import { HISTORY_DAYS } from '../../services/health/health-samples.ts';
import { publicProcedure } from '../procedures.ts';

const Input = z.strictObject({
  days: z.int().min(1).max(HISTORY_DAYS).default(HISTORY_DAYS).describe('How many days to give, today included.'),
});

const HealthDay = z
  .strictObject({
    day: z.string().meta({ format: 'date' }).describe('The day in UTC.'),
    uptimePercent: z
      .number()
      .nullable()
      .describe('Share of good minutes, to two decimals; null for a day that was over before the first sample.'),
    samples: z.int().describe('Samples that were taken; 1440 on a full day.'),
    degradedMinutes: z.int().describe('Minutes that were degraded or have no sample.'),
  })
  .meta({ id: 'HealthDay', description: 'The uptime of one day.' });

const Output = z.strictObject({ days: z.array(HealthDay).describe('Every day asked for, the oldest first.') });

export const getHealthHistory = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/health/history',
      tags: ['Public'],
      summary: 'Read the uptime of the last days',
      description:
        'Health is sampled once a minute and kept for 90 days. A minute without a sample counts as degraded, unless it was before the first one. The answer is kept for 60 seconds.',
    },
    access: 'public',
    scope: null,
    errors: ['invalid_request'],
    tool: { none: 'It is for operators and status pages; agents see failures in the answers they get.' },
    bucket: 'health',
  })
  .input(Input)
  .output(Output)
  .query(async ({ ctx, input }) => ({ days: (await ctx.services.healthHistory()).slice(-input.days) }));
