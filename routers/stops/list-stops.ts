/** GET /stops: the active stops, newest first, and on request the released ones. */
import { z } from 'zod';
import { listStops as list } from '../../services/stops/read-stops.ts';
import { pageInput, pageOutput } from '../schemas/common.ts';
import { Stop } from '../schemas/stop.ts';
import { keyedProcedure } from '../procedures.ts';

const Input = z.strictObject({
  includeReleased: z.boolean().default(false).describe('Whether to give released stops too. Default false.'),
  ...pageInput('stops'),
});

export const listStops = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/stops',
      tags: ['Stops'],
      summary: 'List stops',
      description:
        'Lists the stops that keep posts from going out, newest first, with how many posts each holds. A test key sees those of the account, of profiles, of test keys and of agents in test mode.',
    },
    access: 'key',
    scope: 'posts:read',
    errors: ['invalid_request'],
    tool: { none: 'A person stops and releases; an agent that is stopped reads why in the error of its call.' },
  })
  .input(Input)
  .output(
    z.strictObject({
      stops: z.array(Stop).describe('The stops, newest first.'),
      ...pageOutput(),
    }),
  )
  .query(async ({ ctx, input }) => {
    const { items, nextCursor } = await list(ctx.services, ctx.caller, input);
    return { stops: items, limit: input.limit, nextCursor };
  });
