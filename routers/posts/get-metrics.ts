/** GET /posts/{postId}/metrics: the metrics of a post, as they were read over time. */
import { z } from 'zod';
import { readPostMetrics } from '../../services/posts/read-post-metrics.ts';
import { uuidInput } from '../schemas/common.ts';
import { MetricsRead } from '../schemas/metrics.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({ postId: uuidInput('Id of the post.') });

const Output = z.strictObject({
  latest: MetricsRead.nullable().describe('The newest read; null before the first, an hour after sending.'),
  history: z.array(MetricsRead).describe('Oldest first; thinned after 35 days.'),
});

export const getMetrics = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/posts/{postId}/metrics',
      tags: ['Posts'],
      summary: 'Get the metrics of a post',
      description:
        'Reads likes, reposts, replies and other metrics of a sent post over time. Null is not reported, not zero.',
    },
    access: 'key',
    scope: 'analytics:read',
    errors: ['invalid_request', 'not_found'],
    tool: {
      name: 'get_post_metrics',
      toolset: 'posting',
      title: 'Get post metrics',
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
  })
  .input(Input)
  .output(Output)
  .query(({ ctx, input }) => readPostMetrics(ctx.services, ctx.caller, input.postId));
