/** GET /health: always 200; read `status`. Needs no key. */
import { z } from 'zod';
import { timestampOutput } from '../schemas/common.ts';
import { publicProcedure } from '../procedures.ts';

const WorkerCheck = z
  .strictObject({
    ok: z.boolean().describe('Whether the last success is recent enough.'),
    lastRunAt: timestampOutput('When the worker last ran; null before the first time.').nullable(),
    lastOkAt: timestampOutput('When it last succeeded; null before the first time.').nullable(),
  })
  .meta({ id: 'WorkerCheck', description: 'How a worker is.' });

const Output = z.strictObject({
  status: z.enum(['ok', 'degraded']).describe('degraded when any check is not ok.'),
  checks: z.strictObject({
    database: z.strictObject({
      ok: z.boolean().describe('Whether the database answered.'),
      latencyMs: z.int().describe('Milliseconds its answer took.'),
    }),
    scheduledPosts: WorkerCheck,
    webhookDeliveries: WorkerCheck,
    xUsageSweep: WorkerCheck,
    backups: WorkerCheck.optional().describe('How the scheduled backups are; absent without a schedule.'),
  }),
  version: z.string().describe('Version of the service that answered.'),
  time: timestampOutput('When the answer was made.'),
});

export const getHealth = publicProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/health',
      tags: ['Public'],
      summary: 'Read the health of the service',
      description:
        'Says how the database and the workers are. Answers 200 in any case; the answer is kept for 10 seconds.',
    },
    access: 'public',
    scope: null,
    errors: [],
    tool: { none: 'It is for operators and status pages; agents see failures in the answers they get.' },
    bucket: 'health',
  })
  .input(z.strictObject({}))
  .output(Output)
  .query(({ ctx }) => ctx.services.health());
