/** POST /stops/{stopId}/release: ends a stop; the posts that it held go on or are cancelled (docs/contract/stops.md#releasing). */
import { z } from 'zod';
import { releaseStop as release } from '../../services/stops/release-stop.ts';
import { uuidInput } from '../schemas/common.ts';
import { Stop } from '../schemas/stop.ts';
import { keyedProcedure } from '../procedures.ts';

export const releaseStop = keyedProcedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/stops/{stopId}/release',
      tags: ['Stops'],
      summary: 'Release a stop',
      description:
        'Ends a stop. The posts that it held go on by the rules of late posts, or are cancelled together. A post that another stop is about stays held.',
    },
    access: 'account',
    scope: null,
    refusedWhereSupervised: true,
    errors: ['invalid_request', 'not_found'],
    tool: { none: 'A person stops and releases; an agent that is stopped reads why in the error of its call.' },
  })
  .input(
    z.strictObject({
      stopId: uuidInput('Id of the stop, as GET /stops gives it.'),
      posts: z.enum(['send', 'drop']).describe('send lets the held posts go on; drop cancels them.'),
    }),
  )
  .output(z.strictObject({ stop: Stop }))
  .mutation(async ({ ctx, input }) => ({ stop: await release(ctx.services, ctx.caller, input) }));
