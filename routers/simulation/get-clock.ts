/** GET /simulation/clock: the current instant of the manual clock (docs/contract/running.md#manual-clock). */
import { z } from 'zod';
import { simulationOf } from '../../services/simulation/simulation.ts';
import { timestamp } from '../../services/timestamp.ts';
import { timestampOutput } from '../schemas/common.ts';
import { keyedProcedure } from '../procedures.ts';

const Output = z.strictObject({ now: timestampOutput('The present instant of the install.') });

export const getClock = keyedProcedure
  .meta({
    openapi: {
      method: 'GET',
      path: '/simulation/clock',
      tags: ['Simulation'],
      summary: 'Read the manual clock',
      description:
        'Returns the current instant of the manual clock. Only on an install started with CLOCK=manual; others answer not_found.',
    },
    access: 'account',
    scope: null,
    errors: ['forbidden', 'not_found'],
    tool: { none: 'Time is moved by test harnesses, not by agents.' },
    bucket: 'none',
  })
  .input(z.strictObject({}))
  .output(Output)
  .query(({ ctx }) => {
    simulationOf(ctx.services);
    return { now: timestamp(ctx.services.clock.now()) };
  });
